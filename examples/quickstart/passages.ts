/** One entry of the collection that questions are answered from. */
export interface Passage {
  readonly title: string;
  readonly text: string;
}

export const passages: readonly Passage[] = [
  {
    title: "What agate is",
    text: "Agate is the banded variety of chalcedony, a quartz whose crystals are too fine to see. Like sand, agate is silicon dioxide; traces of other elements give it its colours. Iron makes an agate red, brown or yellow. With a hardness of 6.5 to 7, agate is not scratched by a steel knife.",
  },
  {
    title: "How agates get their bands",
    text: "Most agates grow in the gas bubbles that cooling lava leaves behind. Groundwater carries dissolved silica into the cavity, and the silica settles on its walls, layer upon layer. The bands therefore follow the shape of the cavity, the outermost being the oldest. Why the layers alternate so regularly is still debated.",
  },
  {
    title: "Where the name comes from",
    text: "The Greek philosopher Theophrastus described agate in his book On Stones, more than two thousand years ago. He called it a beautiful stone from the river Achates in Sicily, sold at a high price. The stone has kept the name of the river, which is now called the Dirillo.",
  },
  {
    title: "The cutters of Idar-Oberstein",
    text: "The German town of Idar-Oberstein has lived on cutting agate for about five hundred years. Water wheels turned huge grindstones of sandstone, and the cutters lay on their stomachs to press the stones against them. When the local finds ran low in the nineteenth century, emigrants from the town discovered rich deposits in southern Brazil. Ships took the rough stone back to Germany as ballast.",
  },
  {
    title: "Dyed agate",
    text: "Many of the bright agates in shops are dyed. Chalcedony is slightly porous, and some bands take up more liquid than others. Black is made by soaking the stone in sugar or honey and then in sulphuric acid, which turns the sugar to carbon. The Romans already knew how to darken stones with honey.",
  },
  {
    title: "Moss agate",
    text: "Moss agate holds green or dark threads that look like plants, but nothing in it was ever alive. The threads are minerals, mostly compounds of iron and manganese, that grew inside the chalcedony. Strictly speaking it is not an agate, because it has no bands.",
  },
  {
    title: "Fire agate",
    text: "Fire agate glows in red, gold and green like a film of oil on water. Thin layers of iron oxide lie within the chalcedony, and light reflected from one layer interferes with light from the next. It is found in the deserts of the American Southwest and of northern Mexico.",
  },
  {
    title: "Thunder eggs",
    text: "A thunder egg looks like a lump of dull rock until it is sawn in half. Inside, often in the shape of a star, is a filling of agate, jasper or opal. Thunder eggs form in rhyolite and in layers of volcanic ash, and are the size of a marble or of a large melon. Oregon made the thunder egg its state rock in 1965.",
  },
  {
    title: "Lake Superior agates",
    text: "The agates of Lake Superior formed in lava flows about 1.1 billion years ago. Glaciers later broke them out of the rock and carried them far to the south, in gravel. Iron gives them their reds and oranges. The Lake Superior agate has been the state gemstone of Minnesota since 1969.",
  },
  {
    title: "Geodes and amethyst",
    text: "A geode is a cavity in rock that was lined with crystals but never filled. An agate shell with quartz points inside shows that the water brought silica more slowly in the end. Where the quartz holds a little iron and was exposed to natural radiation, it is violet and called amethyst. Heat turns amethyst yellow, and much of the citrine on sale was made that way.",
  },
  {
    title: "Onyx and cameos",
    text: "In onyx the bands are straight and parallel instead of curved. Carvers use this for cameos: a white figure is cut from the upper layer, and the dark layer below becomes the background. The Great Cameo of France, carved for the Roman court, is made of sardonyx, whose layers are brown and white.",
  },
  {
    title: "Agate at work",
    text: "Agate is hard, tough and untouched by most acids, which makes it more than an ornament. Laboratories grind samples in agate mortars, because hardly anything of the mortar ends up in the sample. The knife edges of fine balances used to rest on plates of it. Gilders and bookbinders still polish gold leaf with burnishers of agate.",
  },
];

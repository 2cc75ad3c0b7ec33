"""Builds agentws/features/boot/plan/frame_mark_words.py: the words that agentws's own headings may end in.

    python tools/build_marks.py            write it
    python tools/build_marks.py --check    only say whether it is what it would be

Each is in CANDIDATES, which were picked by hand: common, neutral words of five letters, seldom met in notes, those that
are met most left out. Only words are used that are a single token of o200k_base between brackets: all cost the same, so
the choice of a word changes no budget.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from agentws.core.disk.system import shipped
from agentws.core.tokens import o200k

ROOT = Path(__file__).resolve().parent.parent
WORDS = ROOT / "agentws/features/boot/plan/frame_mark_words.py"
COUNT, LENGTH = 373, 5
HEAD = '''"""The words for frame marks of agentws's headings, five letters each. Made by tools/build_marks.py."""

from __future__ import annotations

'''

CANDIDATES = """
acres agile smart aisle alarm album alder algae aloha altar amber amuse ankle annex apple apron arbor arena aroma array
arrow asset atlas attic audio award badge baker bands banks barns basic basil basin baton beach beads beams beans
beard bells bench berry bikes bingo blade blaze blend bloom blues boats boils bolts bonds bones bonus books
boost booth bowls braid brand brass brave bread brick bring brink broad brook broom broth brown brush bucks buddy
bulbs bulky bunch bunny burns burst buses cabin cable cacao cakes camel camps canal candy canoe canon cards cares
cargo carts carve cases caves cedar cello chair chalk champ chant chase cheer chess chest chewy chick chief child
chili chips choir chore cider civic clamp clash claws clerk click cliff climb clips cloak clock cloth clown clubs
clues coach coast cocoa coils coins colon color combo comet comic cones cooks coral cords couch court craft crane
crank crate crawl crazy cream creed creek crest crews crisp crops crowd crumb crust cubes cubic cuffs curls curry
curve dairy dance darts dealt decay decks decor deeds delta denim depot depth derby desks diary dices diner discs
ditch docks dolls donut doors dough dozen drain drama drawn draws dream drift drill drink drops drove drums dryer
dunes dusty duvet dwarf eager eagle ebony edges elbow elder elite elves enjoy epoch equip essay exalt exits facet
fairs falls fancy farms feast feats fence ferry fever fewer fiber fifth fifty fills films finer fires flags flair
flaky flame flank flare flash flask flats flaws fleet flick flies fling flips float flock floor flora floss flour
flown fluff flush flute folds folks fonts foods forte forty forum fours foyer frame franc freed frogs frost fruit
fudge fuels fungi funny fuzzy gains games gamma gates gauge gears genie genre giant given gland glare glass glaze
glean glide globe glory gloss glove goats goods goose grace graft grain grams grand grant grape grasp grass gravy
great green greet grids grind groom gross grove grown grows guard guest guild gummy gusto habit halls halos hands
handy hangs happy hardy hatch haute haven heads heaps heard heath hedge hefty heirs hello helps herbs hikes hills
hinge hints hired hobby homes honey hoops hoped horns horse hoses hosts hotel house hover humid humor hurry hydro
ideal ideas imply inbox inlet irons ivory jeans joins joint joker jokes judge juice jumbo jumps kayak kicks kinds
kiosk knack knees knobs knots label laden lakes lamps lance lanes large laser latch latte laugh lawns leads leafy
leaps lease leash legal lemon lends lever limbs lined linen liner lions lists liter lived llama loans lobby locus
lodge lofty logic logos loops loose lotus loyal lucid lucky lumps lunar lunch lyric macro magic magma maize maker
mango manor maple mares marks marsh mates maxim mayor meals meant medal medic melon menus mercy merit merry mesas
messy metal metro midst miles mills mimic minds mined miner minor minus mixed mixer mocha modal modem molds moods
moons moral motel motor motto mound mount mouse mouth mover movie mower muddy mulch mural music nails nerve nests
newly nicer niche nifty ninth noble nodes noisy norms north noses notch noted nouns novel nurse oasis occur ocean
oddly offer olive omega onion onset opens optic orbit ounce ovens oxide ozone paced packs paint pairs palms panda
panel panes pants paper parks parts party pasta paste patch paths patio pause paved peace peach peaks pearl pears
pedal peers penny perch phone photo piano picks piece piles pilot pipes pitch pivot pixel pizza plaid plane plank
plans plant plays plaza plots plugs plume plush polar poles ponds pools porch poser pouch pound pride prime prism
prize probe prone props prose proud proxy prune pulls pulse pumps punch pupil puppy purse quake quart quasi quilt
quota quote raced racer radar radio rails rainy raise rally ramps ranks rapid raven razor react realm rebel recap
reeds reefs reign reins relax relay remix renew rents reset resin rests retro reuse rhyme rider rides rigid rings
rinse rises rival river roads roast robes robot rocks rocky roles rolls roofs rooms roomy roots ropes roses rotor
rover royal rugby ruins ruler rural rusty safer sails salad salon salsa salts salty samba sands sandy satin sauce
sauna saver savor savvy scala scans scarf scene scent scoop scope score scour scout scrub seals seams seats seeds
seeks sends sense serif serum shack shade shaft shake shale shape shark sharp shave shear sheds sheen sheep sheet
shelf shift shine shiny ships shoes shops shore shout shown shrub shuts sides sieve sigma signs silky silly sixth
sixty sized sizes skate skies skips skirt slabs slack slate sleek sleep slice slick slide slope slots small smile
smith smoke smoky snack snail sneak snowy soaps socks sofas soils solar solid solos sonar songs sonic sorts souls
sound soups south spans spare spark speak specs speed spell spend spent spice spicy spike spine spins spoke spoof
spool spoon sport spots spray spree squad squid staff stage stair stake stamp stars stats steam steel steep stern
stick stock stool stops storm stout stove straw stray study stuff suave sugar suits sunny surge sushi swamp swaps
swarm sweep sweet swell swept swift swing swirl syrup tacos tales talks tally tanks taper tapes taste tasty taxis
teach teams teddy teeth tenor tense tenth tents terms terra theme thick third thong thorn throw thumb thyme tidal
tides tiers tiger tiles timed timer tired title toast tones tonic tooth torch touch tough tours towel tower towns
trace trade trail trait traps trays trees trend trial tribe tried trill trims trips troop trope trout truck truly
trunk tubes tuner tunes turbo tutor twice twins twist types ultra union units upset urban usher valet valve vapor
vault veins verbs verge verse vibes video views vigor vines vinyl viola viral visit visor vista vital vivid vocal
vogue volts votes vowel wafer wages wagon waits walks walls warms water waves weary weave wedge weeds weigh wells
whale wheat wheel whirl whisk white widen wider width wield wills winds windy wings wiped wires wiser witty woods
woody world worms worth woven wraps wreak wrist yacht yards years yeast yield young youth zebra zones
"""


def chosen() -> list[str]:
    """The words, in order; all that are one token between brackets."""
    counter = o200k.O200k(shipped.open_o200k())
    words = sorted({word for word in CANDIDATES.split() if counter.rank(word.encode()) != o200k.NO_TOKEN})
    if len(words) != COUNT or any(len(word) != LENGTH or not word.isascii() or not word.islower() for word in words):
        sys.exit(f"{len(words)} words instead of {COUNT} of {LENGTH} letters.")
    return words


def text() -> str:
    """The module as it should be."""
    rows = textwrap.wrap("".join(chosen()), 100)
    return HEAD + "WORDS = (\n" + "".join(f'    "{row}"\n' for row in rows) + ")\n"


def main(arguments: list[str]) -> None:
    """Write the module, or check it."""
    wanted = text()
    if arguments == ["--check"]:
        sys.exit(0 if WORDS.read_text() == wanted else f"{WORDS} is not what tools/build_marks.py makes.")
    WORDS.write_text(wanted)


if __name__ == "__main__":
    main(sys.argv[1:])

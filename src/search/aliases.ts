/**
 * Words that stand for one another when people ask for tools: "mail" finds `send_email`, "ticket" finds `create_issue`.
 * A word is in as many groups as it has meanings. An alias counts for a fraction of the word itself, so it decides only
 * where the words alone do not.
 */
import { stemOf } from "./stem.ts";

const GROUPS = `
mail email inbox gmail
message chat dm sms
send deliver post
delete remove erase drop
create add insert new
update edit change modify
get fetch retrieve read
search find query lookup
list browse enumerate
file document doc
folder directory
image picture photo photograph
video movie film footage clip
audio sound voice recording
music song playlist track
repository repo github git gitlab
issue ticket bug
pull merge pr
commit diff patch
branch fork
database db sql table
website site webpage page web url
internet web online
browser navigate click
weather forecast temperature rain climate
map location place geocode address coordinate
route direction navigation distance
travel trip journey vacation holiday tour tourism landmark
hotel accommodation lodging villa hostel
flight airline airport plane
restaurant dining eat cuisine
food meal recipe cook cooking dish ingredient breakfast dinner
diet nutrition calorie dietary
medical health symptom disease doctor medicine
fitness workout exercise gym yoga
stock share equity ticker market
finance financial investment invest portfolio trading
crypto cryptocurrency bitcoin ethereum coin blockchain nft
price cost fee
currency exchange dollar euro
buy purchase shop shopping order
product item goods merchandise appliance
discount coupon deal promotion sale
job career vacancy employment hiring
resume cv
paper publication study research academic scholar journal literature
book novel author
news headline article
translate translation language
summarize summary digest
rewrite paraphrase rephrase reword
write compose draft
chart graph plot diagram visualization
calendar event meeting schedule appointment
reminder todo task
note memo
law legal court regulation lawyer
house home apartment property rent rental
car vehicle automobile
game play puzzle gaming
quiz trivia question
learn course lesson education tutorial
student school university college
code program source snippet programming
test check verify validate
run execute launch
stop kill terminate cancel
deploy release publish
container docker
cluster kubernetes pod
log trace
error exception failure
user account profile member
password credential secret
customer client
company business organization firm
employee staff worker
invoice bill receipt
pay payment charge
advertising advertisement ad campaign marketing
seo keyword
tweet twitter
convert transform conversion
calculate compute math
statistics analytics metrics
time clock
screenshot capture snapshot
spreadsheet excel sheet csv
slide presentation powerpoint
speech speak speaking
joke humor funny meme
sport football basketball soccer league
horoscope astrology zodiac
animal pet dog cat
plant garden gardening
picture draw drawing illustration paint
upload import
download export
copy duplicate clone
memory remember recall
approve confirm
notify notification alert
compare difference
encrypt decrypt
zip compress archive
cloud aws azure gcp
`;

const ALIASES = readGroups(GROUPS);
const NONE: readonly string[] = [];

/** The terms that stand for a term; itself not among them. */
export function aliasesOf(term: string): readonly string[] {
  return ALIASES.get(term) ?? NONE;
}

function readGroups(text: string): ReadonlyMap<string, readonly string[]> {
  const aliases = new Map<string, Set<string>>();
  for (const line of text.trim().split("\n")) {
    const stems = line.split(" ").map(stemOf);
    for (const stem of stems) {
      const known = aliases.get(stem) ?? new Set();
      for (const other of stems) if (other !== stem) known.add(other);
      aliases.set(stem, known);
    }
  }
  return new Map([...aliases].map(([stem, others]) => [stem, [...others]]));
}

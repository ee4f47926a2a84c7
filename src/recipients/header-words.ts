const phoneWords = [
  "phone phones telephone tel ph mobile mobiles mob cell cells cellular cellphone handphone msisdn whatsapp wa gsm",
  "portable cellulaire tel telephone telefono movil celular cel tlf tfno telefone telemovel fone",
  "telefon handy mobil mobiltelefon mobilfunk rufnummer telefonnummer handynummer mobilnummer telefoon mobiel mobieltje",
  "telefoonnummer mobieltelefoon cellulare komorka mobilnr telefonnr tlfnr puhelin matkapuhelin hp nohp telp telepon",
  "telefonu telefonunuz ponsel telpon bimbit selfoon simu rununu waya foni ucingo taleefan telefoonka thoai sđt",
  "الهاتف هاتف الجوال جوال الموبايل موبايل المحمول محمول التلفون تلفون تليفون موبایل تلفن همراه فون موبائل",
  "телефон телефона телефону тел моб мобильный мобильныи сотовый сотовыи мобільний мобільнии τηλεφωνο κινητο טלפון נייד ስልክ",
  "मोबाइल मोबाईल फोन फ़ोन दूरभाष মোবাইল ফোন மொபைல் தொலைபேசி கைபேசி ఫోన్ మొబైల్ ఫోన్ ಫೋನ್ ಮೊಬೈಲ್ ഫോൺ മൊബൈൽ ફોન મોબાઇલ ਫੋਨ ਮੋਬਾਈਲ",
];

const phoneParts = "手机 手機 电话 電話 携帯 휴대폰 휴대전화 전화 핸드폰 연락처 โทรศัพท์ มือถือ เบอร์โทร".split(" ");

/** These end a word that is written together, as in `guardianphone`. */
const phoneEnds = "phone mobile telefon telefono telefone celular handynummer phonenumber mobilenumber".split(" ");

/** A column with such a word has something of the telephone, and not its number. */
const otherWords = new Set(
  (
    "type model brand make os carrier network provider operator plan bill money verified country code ext extension " +
    "fax telefax consent status date time id email mail address name fullname person kind owner version serial imei"
  ).split(" "),
);

const exactNames = new Set(
  (
    "to number numero nummer nambari namba رقم contactnumber contactno contactnumbers smsnumber smsno recipientnumber " +
    "recipientno whatsappnumber whatsappno"
  ).split(" "),
);

const contactWords = new Set("contact contacts contacto contato kontakt kontakte mawasiliano contatti".split(" "));

/** A header only describes its numbers after such a word, as in `with country code`. */
const remarks = new Set("with without incl including inc format starting eg".split(" "));

let plainPhones: ReadonlySet<string> | undefined;

/** One word must speak of numbers, and none of something else. */
export function isNumberHeader(name: string): boolean {
  const words = wordsOf(name);
  if (exactNames.has(words.join("").replace(/\d+$/, ""))) return true;
  if (words.some((word) => otherWords.has(word))) return false;
  return words.some(isPhoneWord) || isPhoneWord(words.join(""));
}

/** A contact may be a person, so the cells below decide. */
export function isContactHeader(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => contactWords.has(word)) && !words.some((word) => otherWords.has(word));
}

function isPhoneWord(word: string): boolean {
  const bare = word.replace(/\d+$/, "");
  plainPhones ??= new Set(phoneWords.flatMap((words) => words.split(" ").map(plainWord)));
  if (plainPhones.has(bare) || phoneEnds.some((end) => bare.endsWith(end))) return true;
  return phoneParts.some((part) => bare.includes(plainWord(part)));
}

/** Words in brackets are a remark, and a capital may begin a word. */
function wordsOf(name: string): readonly string[] {
  const text = name
    .replace(/\(.*?\)|\[.*?\]/g, " ")
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .replace(/\p{Cf}/gu, "");
  const words = (text.match(/[\p{L}\p{M}\d]+/gu) ?? []).map(plainWord);
  const remark = words.findIndex((word) => remarks.has(word));
  return remark > 0 ? words.slice(0, remark) : words;
}

function plainWord(word: string): string {
  return word
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}

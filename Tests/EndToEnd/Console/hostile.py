"""Links that try to write markup into the pages that they lead to."""

import unicodedata
import urllib.parse

# What marks mean something to whoever reads markup, and a text that would be seen if one of them did.
MARKS = "\"'<>&`"
WORD = "zq"
# How long a value in a link is, in bytes as they are escaped: less than a server takes with one request.
LONGEST = 6_000

# Reads pages without opening them, and answers with what a link added: an element, an attribute, an address of elsewhere.
READ = """
const [cases, crawls, word] = arguments;
const parser = new DOMParser();
const read = async path => {
    const answer = await fetch(path, {redirect: 'follow'});
    const text = await answer.text();
    const isPage = (answer.headers.get('content-type') || '').startsWith('text/html');
    return isPage ? parser.parseFromString(text, 'text/html') : null;
};
const marks = page => {
    const all = {};
    const add = key => { all[key] = (all[key] || 0) + 1; };
    for (const element of page.querySelectorAll('*')) {
        add(element.localName + '[' + element.getAttributeNames().sort().join(' ') + ']');
        for (const name of ['href', 'src', 'action', 'formaction', 'data', 'poster']) {
            if (!element.hasAttribute(name)) continue;
            const address = new URL(element.getAttribute(name), location.origin);
            if (address.origin !== location.origin && address.protocol !== 'data:') add('leads to ' + address.origin);
        }
        if (['script', 'style'].includes(element.localName)) add(element.localName + ': ' + element.textContent);
    }
    return all;
};
// The same values that mean nothing are in many a case.
const known = new Map();
const marksOf = path => {
    if (!known.has(path)) known.set(path, read(path).then(page => page ? marks(page) : {}));
    return known.get(path);
};
const judge = async one => {
    const [page, ...allowed] = await Promise.all([read(one.path), ...one.plain.map(marksOf)]);
    if (!page) return {kind: 'none', path: one.path};
    for (const [key, count] of Object.entries(marks(page)))
        if (!allowed.some(all => (all[key] || 0) >= count)) return {kind: 'added', path: one.path, key};
    const shown = new XMLSerializer().serializeToString(page).includes(word);
    return {kind: shown ? 'shown' : 'unshown', path: one.path};
};
const crawl = async () => {
    // A section, a name in it, a part of that, a name in the part: of names one is enough.
    const shape = path => path.split('/').map((step, at) => at < 3 || at % 2 === 0 ? step : '*').join('/');
    const [seen, found, waiting] = [new Set(), [], ['/console']];
    while (waiting.length) {
        const path = waiting.shift();
        const page = await read(path);
        if (!page) continue;
        const fields = Array.from(page.querySelectorAll('form:not([method=post]) [name]'), field => field.name);
        found.push({path, fields: Array.from(new Set(fields))});
        for (const link of page.querySelectorAll('a[href^="/console"]:not([download])')) {
            const next = new URL(link.getAttribute('href'), location.origin).pathname;
            if (seen.has(shape(next))) continue;
            seen.add(shape(next));
            waiting.push(next);
        }
    }
    return found;
};
return (async () => {
    if (crawls) return await crawl();
    const results = [];
    const waiting = cases.slice();
    const work = async () => { while (waiting.length) results.push(await judge(waiting.shift())); };
    await Promise.all(Array.from({length: 8}, work));
    return results;
})();
"""


def scalars():
    """Every control, format character, combining mark and quotation mark that there is, but NUL, which is refused."""
    kinds = {"Cc", "Cf", "Mn", "Mc", "Me", "Pi", "Pf"}
    return [one for one in map(chr, range(1, 0x110000)) if unicodedata.category(one) in kinds] + list(MARKS)


def escaped(text):
    return urllib.parse.quote(text, safe="")


def attempt(scalar):
    """A text that ends an attribute, begins an element or names a character, if a mark is missed beside the scalar."""
    return f"\"{scalar} {WORD}={scalar}\" {WORD}=1 {scalar}<b>{scalar}'{scalar}&{scalar}`{scalar}>"


def texts(some, longest, most):
    """The attempts with these scalars, as few texts as possible of so many bytes, escaped, and so many scalars."""
    text, length = "", 0
    for scalar in some:
        one = attempt(scalar)
        size = len(escaped(one))
        if text and (length + size > longest or len(text) + len(one) > most):
            yield text
            text, length = "", 0
        text, length = text + one, length + size
    yield text


def representatives():
    """Some of each class: what joins what is before it, what joins what is behind it, what does neither."""
    return ["\t", "\r", "\n", "\x0b", "\x7f", "\x85", "\u00ad", "\u0301", "\u0338", "\u0600", "\u0903", "\u200b", "\u200d",
            "\u200e", "\u202e", "\u2066", "\u20dd", "\ufe0f", "\ufeff", "\u00ab", "\u2018", "\u201d", "\u203a",
            "\U000110bd", "\U000e0041", *MARKS]


class Hostile:
    """The step of a walk that follows such links."""

    # What the console's pages look for in a query, beside the fields of their forms.
    queries = ["against", "app", "configuration", "done", "group", "groups", "kind", "next", "part", "replaces", "sample",
               "serialNumber", "view"]

    def hostile_links(self):
        """No character in a link writes an element or an attribute into a page, whoever follows it.

        Every character where the page shows what the link says; some of each class in every other place.
        """
        some, every = list(texts(representatives(), LONGEST, LONGEST)), list(texts(scalars(), LONGEST, LONGEST))
        # The page shows the first 256 scalars.
        short = list(texts(scalars(), LONGEST, 256))
        self.open("/console/sign-in")
        cases = [self.case("/enroll/account/sign-in?user-identifier=", text) for text in short]
        for place in ["/console/sign-in?next=", "/console/sign-in?next=%2Fconsole%2F", "/console/password?name=",
                      "/console/", "/console/people/", "/enroll/", "/sign-in/oidc?error="]:
            cases += [self.case(place, text) for text in some]
        self.judge_links("to strangers", cases, len(short))
        self.enter()
        cases = [self.case("/console/devices?group=", text) for text in every]
        pages = self.browser.run(READ, [], True, WORD)
        self.expect(len(pages) > 20, f"there are pages to lead to, not {len(pages)}")
        for page in pages:
            cases += [case for text in some for case in self.cases(page, text)]
        self.judge_links(f"to administrators, of {len(pages)} pages", cases, len(every))
        self.open("/console/devices?group=" + urllib.parse.quote(some[0]))
        self.expect(not self.browser.find_all(f"[{WORD}], main b"), "a link adds nothing to a page that is opened")
        value = self.browser.run("return document.querySelector('[name=group]').value")
        self.expect(f"{WORD}=\t\" {WORD}=1" in value, "what it says stands in the field as text")
        self.browser.devtools("Network.clearBrowserCookies")
        # What these links asked for is not the console's, nor are the pages that are not there.
        self.browser.requests()
        self.browser.complaints()

    @staticmethod
    def case(before, text, behind=""):
        """A link, and the same with values that mean nothing: one before all names, and a long one behind all."""
        return {"path": before + escaped(text) + behind,
                "plain": [before + value + behind for value in ["!", "~" * min(len(text), 200)]]}

    def cases(self, page, text):
        """A page's links with the text in the place of each name in the path, of each field, and of all of the query."""
        path = page["path"]
        steps = path.split("/")
        for index in range(3, len(steps), 2):
            yield self.case("/".join(steps[:index]) + "/", text, "".join("/" + step for step in steps[index + 1:]))
        for name in page["fields"] + ["cursor"]:
            yield self.case(f"{path}?{name}=", text)
        # As much of it as all of them have room for.
        part = text[:60]
        yield {"path": f"{path}?" + "&".join(f"{name}={escaped(part)}" for name in self.queries),
               "plain": [f"{path}?" + "&".join(f"{name}=!" for name in self.queries)]}

    def judge_links(self, name, cases, least):
        results = self.browser.run(READ, cases, False, WORD)
        kinds = {kind: [one for one in results if one["kind"] == kind] for kind in ["added", "shown", "unshown", "none"]}
        print(f"links {name}: " + ", ".join(f"{len(those)} {kind}" for kind, those in kinds.items()), flush=True)
        self.expect(not kinds["added"], f"a link adds nothing to a page: {kinds['added'][:3]}")
        self.expect(len(kinds["shown"]) >= least, f"what links say is shown on {least} pages")

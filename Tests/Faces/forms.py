"""Pages that have a form, and what they send."""

from processes import eventually


FORM = """<!doctype html>
<html lang="en" data-session="public">
<script type="module" src="/bindery-attributes.js"></script>
<form data-action="profile/load" method="dialog">
  <input name="paramA" type="number" aria-label="A">
  <input name="paramB" data-bind="profile.paramB" aria-label="B">
  <input name="kind" type="radio" value="small" checked><input name="kind" type="radio" value="large">
  <button>Load</button>
</form>
<input data-bind="profile.paramB" aria-label="Alone">
<output data-bind="profile.paramB"></output>
</html>
"""


SHADOW = """(mode) => {
    document.body.innerHTML = "<div></div>"
    self.root = document.querySelector("div").attachShadow({ mode })
    root.innerHTML = '<form data-action="a/do" method="dialog"><input name="x"><input name="y"><button>Save</button></form>'
    bindTo(root)
    root.querySelector("input").focus()
}"""


STARS = '<input type="hidden" name="stars" data-bind="a.stars"><input name="x" aria-label="x">'

FILLED = """<!doctype html>
<html lang="en" data-session="public">
<body></body>
<script type="module">
    import { bind } from "/bindery-attributes.js"
    // A session of whatever outputs, whose actions are noted, and done once `answer` is called.
    self.asked = []
    self.make = (html, outputs, roots) => {
        const watchers = []
        document.body.innerHTML = html
        const session = {
            viewModel: () => ({ toJSON: () => outputs, action: (name, body) => new Promise((done, refused) => {
                asked.push({ name, body: JSON.parse(JSON.stringify(body ?? null)), done: (answer) => done(answer ?? { ...outputs }), refused })
            }) }),
            on: (path, tell) => {
                const name = path.split(".")[1]
                watchers.push((changed) => name in changed && tell(changed[name]))
                tell(outputs[name])
            },
        }
        self.bindTo = (root) => { bind(Promise.resolve(session), root) }
        self.bindAll = () => {
            const all = typeof roots == "string" ? document.querySelectorAll(roots) : [roots ?? document]
            all.forEach(bindTo)
        }
        bindAll()
        self.change = (changed) => watchers.forEach((tell) => tell(Object.assign(outputs, changed) && changed))
    }
    self.bodies = () => asked.map(({ body }) => body)
</script>
</html>
"""


def save(page, *texts):
    """Types each text into the field x, and presses Save, whatever was answered."""
    for text in texts:
        page.get_by_label("x").fill(text)
        page.get_by_role("button", name="Save").click()


def saved(page):
    """What a click on Save sends, once all before was answered."""
    before = page.evaluate("asked.length")
    page.get_by_role("button", name="Save").click()
    page.wait_for_function(f"asked.length == {before + 1}", timeout=5000)
    return page.evaluate("asked.at(-1).body")


def after_its_timers(page):
    """Waits for what the page's scripts do once this turn is over, as anybody does whose hands are slower than a test's."""
    page.evaluate("new Promise((done) => setTimeout(done, 10))")


def answer(page, place):
    page.evaluate(f"asked[{place}].done()")
    eventually(lambda: page.evaluate("document.forms[0].ariaBusy") is None, "not busy any more")


def place_of(locator):
    box = locator.bounding_box()
    return box["x"] + 3, box["y"] + 3


def click(page, place, count):
    """One of the clicks that come quickly one after the other, as which its count says."""
    page.mouse.move(*place)
    page.mouse.down(click_count=count)
    page.mouse.up(click_count=count)


def answer_all(page):
    """Answers what was asked by now."""
    page.evaluate("asked.forEach(({ done }) => done())")


def quick_clicks(page, locator, clicks):
    """Each click is answered before the next, which falls on whatever is at the same place by then."""
    place = place_of(locator)
    for count in range(clicks):
        click(page, place, count + 1)
        answer_all(page)
        after_its_timers(page)


def double_click(page, locator):
    quick_clicks(page, locator, 2)


def cart(page):
    """A row with a button that counts, drawn anew with each answer, and with the focus on it."""
    page.evaluate("""() => {
        self.count = 1
        const draw = () => {
            make(`<form data-action="a/count" method="dialog"><input name="n" type="number" value="${count}">
                <button type="button" class="it" onclick="this.form.n.stepUp(); this.form.requestSubmit()">+</button></form>`, {})
            document.forms[0].addEventListener("bindery-done", () => {
                count = asked.at(-1).body.n
                draw()
            })
            document.querySelector(".it").focus()
        }
        draw()
    }""")

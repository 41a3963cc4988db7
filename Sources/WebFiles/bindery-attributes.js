// A page without script of its own shows and acts by attributes:
//   <output data-bind="counter.text" data-style="opacity: counter.alpha"></output>
//   <button data-action="counter/decrement" data-enabled="counter.enabled">−</button>
//   <form data-action="login/validate"> … <input name="id"> … </form> <p data-problem="login/validate"></p>
// Load it as <script type="module" src="/bindery-attributes.js"></script>; with <html data-session="public"> in the public
// session. See bindery.d.ts.
import { connect } from "./bindery.js"
import { Draft, filledIn, own, text } from "./bindery-form.js"

const all = (root, selector) => [
	...(own(root, "matches")?.(selector) ? [root] : []), ...own(root, "querySelectorAll")(selector),
]
const fields = "input:not([type=file]), textarea, select"

const observe = (session, element) => {
	const { bind, enabled, shown, style } = own(element, "dataset")
	const on = (path, body) => {
		const [viewModel, output, ...within] = path.split(".")
		const isThere = !output || output in session.viewModel(viewModel).toJSON()
		if (within.length || !isThere) console.warn("No such output: " + path, element)
		session.on(path, body)
	}
	if (bind && element.matches(fields)) on(bind, (value) => (Draft.bind(element).state = value))
	else if (bind && element.matches("progress, meter")) on(bind, (value) => (element.value = Number(value)))
	else if (bind) on(bind, (value) => (element.textContent = text(value)))
	if (enabled) on(enabled, (value) => (element.disabled = !value))
	if (shown) on(shown, (value) => (element.hidden = !value))
	for (const rule of style?.split(";") ?? []) {
		const [property, path] = rule.split(":").map((part) => part.trim())
		if (path) on(path, (value) => own(element, "style").setProperty(property, text(value)))
	}
}

// The places for a refusal in what was bound, or elsewhere in the page, which may have drawn it anew.
const placesFor = (action, root) => {
	const within = (one) => all(one, "[data-problem]").filter(({ dataset }) => dataset.problem == action)
	const near = own(root, "isConnected") ? within(root) : []
	return near.length ? near : within(document)
}

// Says why an action was refused where it belongs: in the places for it, and at the field that it is about.
const say = (root, element, { message = "", pointer } = {}, isAwaited = true) => {
	const places = placesFor(own(element, "dataset").action, root)
	for (const place of places) place.textContent = message
	if (message && !places.length) console.warn(message, element)
	const name = pointer?.split("/")[1]
	const those = [...(own(element, "elements") ?? [])]
	for (const field of those) field.ariaInvalid = field.name == name ? "true" : null
	const wrong = those.filter((field) => field.ariaInvalid)
	if (isAwaited && !wrong.includes(document.activeElement)) wrong[0]?.focus()
}

// What each element was last asked to do: `done` is a promise, and `said` the body of a form. And when it was last refused.
const turns = new WeakMap()
const refusals = new WeakMap()

const act = (connecting, root, element, form, isAgain) => {
	const before = turns.get(element)
	const turn = { said: JSON.stringify(form?.body), at: performance.now() }
	// The same twice, or the second click of a double click, before which the first one's answer may have changed the form.
	if (form && turn.at - before?.at < 500 && (isAgain || before.said == turn.said)) return
	turns.set(element, turn)
	const isLatest = () => turns.get(element) == turn
	const { activeElement } = document
	const typed = activeElement?.value
	const run = async () => {
		// What a form is sent with first is done first, also where it has to be repeated.
		if (form) await before?.done
		try {
			const [viewModel, action] = own(element, "dataset").action.split("/")
			const session = await connecting
			await session.viewModel(viewModel).action(action, form?.body)
			// What was refused since it was asked is not taken away.
			if (!(refusals.get(element) >= turn.at)) say(root, element)
			form?.release()
			own(element, "dispatchEvent")(new Event("bindery-done"))
		} catch (problem) {
			refusals.set(element, performance.now())
			// Who is elsewhere by now, or types on, is not taken away from there.
			const isThere = document.activeElement == activeElement && activeElement?.value === typed
			say(root, element, problem, isThere && form?.isPressed != false)
		}
		if (isLatest()) element.ariaBusy = null
	}
	element.ariaBusy = "true"
	turn.done = run()
}

let isLoading = true

// Acts from now on, and shows once there is a session; the page may call it anew for what it adds.
export const bind = async (connecting, root = document) => {
	for (const element of all(root, "[data-action]")) {
		const listen = own(element, "addEventListener")
		let form
		let isAgain
		const decide = (event) => {
			// The page has said no, or the element is bound twice.
			if (event.defaultPrevented) return
			event.preventDefault()
			act(connecting, root, element, form, isAgain)
		}
		if (own(element, "localName") == "form") {
			let clickedAgain
			listen("click", ({ target, detail }) => (clickedAgain = detail > 1 && target.closest("button, input")), true)
			// Before the page's own script, which may empty the form.
			const note = ({ submitter }) => {
				form = filledIn(element, submitter)
				isAgain = form.isPressed && submitter == clickedAgain
			}
			listen("submit", note, true)
			listen("submit", decide)
		} else {
			listen("click", decide)
		}
		listen("reset", (event) => setTimeout(() => event.defaultPrevented || say(root, element)))
	}
	for (const element of all(root, "[data-bind]")) if (element.matches(fields)) Draft.bind(element, isLoading)
	isLoading = false
	// By the time that there is a session, a template's content may be elsewhere.
	const shown = all(root, "[data-bind], [data-enabled], [data-shown], [data-style]")
	const session = await connecting
	for (const element of shown) observe(session, element)
}

// A server that is not there yet, or is restarted, is waited for.
const connected = async (options) => {
	for (let pause = 500; ; pause = Math.min(2 * pause, 1e4)) {
		try {
			return await connect(options)
		} catch (problem) {
			if (problem.status < 500 && problem.status != 429) throw problem
			await new Promise((done) => setTimeout(done, pause * (1 + Math.random())))
		}
	}
}

bind(connected({ public: document.documentElement.dataset.session == "public" }))

// A page without script of its own shows and acts by attributes:
//   <output data-bind="counter.text" data-style="opacity: counter.alpha"></output>
//   <button data-action="counter/decrement" data-enabled="counter.enabled">−</button>
//   <form data-action="login/validate"> … <input name="id"> … </form> <p data-problem="login/validate"></p>
// Load it as <script type="module" src="/bindery-attributes.js"></script>; with <html data-session="public"> in the public
// session. See bindery.d.ts.
import { connect } from "./bindery.js"
import { Draft, filledIn, own, text } from "./bindery-form.js"

const each = (root, selector, body) => root.querySelectorAll(selector).forEach(body)
const fields = "input:not([type=file]), textarea, select"

const observe = (session, element) => {
	const { bind, enabled, shown, style } = own(element, "dataset")
	const on = (path, body) => {
		const [viewModel, output] = path.split(".")
		if (output && !(output in session.viewModel(viewModel).toJSON())) console.warn("No such output: " + path, element)
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

// Says why an action was refused where it belongs: in the places for it, and at the field that it is about.
const say = (root, element, { message = "", pointer } = {}, isAwaited = true) => {
	const { action } = own(element, "dataset")
	const places = [...root.querySelectorAll("[data-problem]")].filter(({ dataset }) => dataset.problem == action)
	for (const place of places) place.textContent = message
	if (message && !places.length) console.warn(message, element)
	const name = pointer?.split("/")[1]
	const all = [...(own(element, "elements") ?? [])]
	for (const field of all) field.ariaInvalid = field.name == name ? "true" : null
	if (isAwaited) all.find((field) => field.ariaInvalid)?.focus()
}

// What each element was last asked to do: `done` is a promise, and `said` the body of a form. And when it was last refused.
const turns = new WeakMap()
const refusals = new WeakMap()

const act = (connecting, root, element, form) => {
	const before = turns.get(element)
	const turn = { said: JSON.stringify(form?.body), at: Date.now() }
	// The second click of a double click.
	if (turn.said && before?.said == turn.said && turn.at - before.at < 500) return
	turns.set(element, turn)
	const isLatest = () => turns.get(element) == turn
	const { activeElement } = document
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
			refusals.set(element, Date.now())
			// Who is elsewhere by now is not taken away from there.
			say(root, element, problem, document.activeElement == activeElement)
		}
		if (isLatest()) element.ariaBusy = null
	}
	element.ariaBusy = "true"
	turn.done = run()
}

let isLoading = true

// Acts from now on, and shows once there is a session; the page may call it anew for what it adds.
export const bind = async (connecting, root = document) => {
	each(root, "[data-action]", (element) => {
		const listen = own(element, "addEventListener")
		let form
		const decide = (event) => {
			// The page has said no, or the element is bound twice.
			if (event.defaultPrevented) return
			event.preventDefault()
			act(connecting, root, element, form)
		}
		if (own(element, "localName") == "form") {
			// Before the page's own script, which may empty the form.
			listen("submit", ({ submitter }) => (form = filledIn(element, submitter)), true)
			listen("submit", decide)
		} else {
			listen("click", decide)
		}
		listen("reset", (event) => setTimeout(() => event.defaultPrevented || say(root, element)))
	})
	each(root, "[data-bind]", (element) => element.matches(fields) && Draft.bind(element, isLoading))
	isLoading = false
	const session = await connecting
	each(root, "[data-bind], [data-enabled], [data-shown], [data-style]", (element) => observe(session, element))
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

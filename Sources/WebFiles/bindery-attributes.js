// A page without script of its own shows and acts by attributes:
//   <output data-bind="counter.text" data-style="opacity: counter.alpha"></output>
//   <button data-action="counter/decrement" data-enabled="counter.enabled">−</button>
//   <form data-action="login/validate"> … <input name="id"> … </form> <p data-problem="login/validate"></p>
// Load it as <script type="module" src="/bindery-attributes.js"></script>; with <html data-session="public"> in the public
// session. See docs/pages.md.
import { connect } from "./bindery.js"
import { Draft } from "./bindery-draft.js"
import { memberOf, own, text } from "./bindery-fields.js"
import { filledIn } from "./bindery-form.js"
import { hasActed, hearIn, isBusyElsewhere, isByHand, isOnceMore, isStray, tell } from "./bindery-press.js"

const all = (root, selector) => [
	...(own(root, "matches")?.(selector) ? [root] : []), ...own(root, "querySelectorAll")(selector),
]
const isField = (element) => element.matches("input:not([type=file]), textarea, select")

const observe = (session, element) => {
	const { bind, enabled, shown, style } = own(element, "dataset")
	const on = (path, body) => {
		const [viewModel, output, ...within] = path.split(".")
		const isKnown = !output || output in session.viewModel(viewModel).toJSON()
		if (within.length || !isKnown) console.warn("No such output: " + path, element)
		session.on(path, body)
	}
	if (bind && isField(element)) on(bind, (value) => (Draft.bind(element).state = value))
	else if (bind && element.matches("progress, meter")) on(bind, (value) => (element.value = Number(value)))
	else if (bind) on(bind, (value) => (element.textContent = text(value)))
	if (enabled) on(enabled, (value) => (element.disabled = !value))
	if (shown) on(shown, (value) => (element.hidden = !value))
	for (const rule of style?.split(";") ?? []) {
		const [property, path] = rule.split(":").map((part) => part.trim())
		if (path) on(path, (value) => own(element, "style").setProperty(property, text(value)))
	}
}

// The places for a refusal that are nearest. The page may have drawn all anew, of which none of several is the one.
const placesFor = (element) => {
	const { action } = own(element, "dataset")
	const within = (one) => all(one, "[data-problem]").filter(({ dataset }) => dataset.problem == action)
	const isConnected = own(element, "isConnected")
	for (let one = isConnected ? element : null; one; one = own(one, "parentNode")) {
		const places = within(one)
		if (places.length) return places
	}
	const places = within(document)
	return isConnected || places.length == 1 ? places : []
}

// Marks the fields that a refusal is about, and returns them.
const mark = (element, pointer) => {
	const name = memberOf(pointer)
	const fields = [...(own(element, "elements") ?? [])]
	for (const field of fields) field.ariaInvalid = field.name == name ? "true" : null
	return fields.filter((field) => field.ariaInvalid)
}

// Whose refusal each place says, if one, and since when.
const sayings = new WeakMap()

// Says why an action was refused where it belongs: in the places for it, which are returned, and at the field that it is about.
const say = (element, { message = "", pointer } = {}, near = placesFor(element), askedAt = 0) => {
	// What is away for now may be put back, and says nothing any more by then.
	const places = near.filter((place) => !message || own(place, "isConnected"))
	mark(element, pointer)
	for (const place of places) {
		// What another was refused meanwhile, as another row, is not taken away.
		const { by, at } = sayings.get(place) ?? {}
		if (!message && by && by != element && at >= askedAt) continue
		place.textContent = message
		sayings.set(place, message ? { by: element, at: performance.now() } : {})
	}
	return places
}

// What has the focus, also within the shadow root of an element.
const focusedBy = (element) => {
	let focused = own(element, "getRootNode")().activeElement ?? document.activeElement
	while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
	return focused
}

// What each element was last asked to do: `done` is a promise, until `isOver`, of which `isDone` says how it ended; `submission` is
// that of a form, and `body` what it said. And when it was last refused, and which submission.
const turns = new WeakMap()
const refusals = new WeakMap()
// Which hears of a refusal just now.
let told

const act = (connecting, element, submission) => {
	const before = turns.get(element)
	const path = own(element, "dataset").action
	const turn = { submission, body: JSON.stringify(submission?.body), at: performance.now() }
	turns.set(element, turn)
	submission?.hold()
	// What a form is sent with first is done first, also where it has to be repeated.
	const waitedFor = submission && !before?.isOver ? before : undefined
	// By then the page's own listeners have heard of it, which may empty the form by hand.
	setTimeout(() => submission?.hearEnd())
	const isLatest = () => turns.get(element) == turn
	// The page may take it away by the very change, or have it do something else.
	const places = submission?.places ?? placesFor(element)
	const focused = focusedBy(element)
	const typed = focused?.value
	// Before the page hears of it, which may look whether more was asked, or ask more.
	const settle = (isDone) => {
		turn.isOver = true
		submission?.letGo(isDone)
		if (isLatest()) element.ariaBusy = null
	}
	const run = async () => {
		await waitedFor?.done
		if (waitedFor) submission.waitFor(waitedFor.submission)
		try {
			const [viewModel, action] = path.split("/")
			const connected = await connecting
			const outputs = await connected.viewModel(viewModel).action(action, submission?.body)
			submission?.hearDone(viewModel, outputs)
			settle(true)
			// What was refused since it was asked is not taken away, but by the same put right.
			const { at, refused } = refusals.get(element) ?? {}
			const isPutRight = submission && !refused?.isEmptied && refused?.about == submission.about
			if (!(at >= turn.at) || isPutRight) say(element, {}, places, turn.at)
			submission?.release(isLatest())
			turn.isDone = true
			tell(element, new Event("bindery-done"))
		} catch (problem) {
			settle()
			refusals.set(element, { at: performance.now(), refused: submission })
			// Who is elsewhere by now, or types on, is not taken away from there. Of what the page disables the browser takes the focus.
			const now = focusedBy(element)
			const isNowhere = now == document.body && !isBusyElsewhere(element, turn.at)
			const isStill = isNowhere || (now == focused && now?.value === typed)
			const said = say(element, problem, places)
			told = element
			tell(element, new CustomEvent("bindery-refused", { detail: problem }))
			told = null
			submission?.hearRefused()
			// The page may have drawn all anew, or have put back what it had taken away; what it says itself it may.
			const isSaid = said.some((place) => own(place, "isConnected")) || say(element, problem).length
			if (!isSaid) console.warn(problem.message, element)
			const wrong = mark(element, problem.pointer)
			const mayFocus = isStill && submission?.isPressed != false && focusedBy(element) == now
			if (mayFocus && !wrong.includes(now)) wrong[0]?.focus()
		}
	}
	element.ariaBusy = "true"
	turn.done = run()
}

let isLoading = true

// Acts from now on, and shows once there is a session; the page may call it anew for what it adds.
export const bind = async (connecting, root = document) => {
	for (const element of all(root, "[data-action]")) {
		const listen = own(element, "addEventListener")
		hearIn(own(element, "getRootNode")())
		let submission
		let said
		const decide = (event) => {
			// The page has said no, or the element is bound twice.
			if (event.defaultPrevented) return
			event.preventDefault()
			if (!submission && isStray(element)) return
			hasActed(element, said, submission?.about)
			act(connecting, element, submission)
		}
		if (own(element, "localName") == "form") {
			// Before the page's own script, which may empty the form.
			const note = (event) => {
				const next = filledIn(element, event.submitter, isByHand(event.submitter))
				next.places = placesFor(element)
				said = JSON.stringify(next.body)
				if (!isOnceMore(element, said)) {
					submission = next
					return submission.hearSent()
				}
				// Nor does the page hear of it, which would wait for what becomes of it.
				event.preventDefault()
				event.stopImmediatePropagation()
				const before = turns.get(element)
				if (before && before.body == said) before.done.then(() => before.isDone && next.release(turns.get(element) == before))
			}
			listen("submit", note, true)
			listen("submit", decide)
		} else {
			listen("click", decide)
		}
		listen("reset", (event) => {
			submission?.hearReset()
			const at = performance.now()
			const isRefused = () => refusals.get(element)?.at >= at
			if (told != element) setTimeout(() => event.defaultPrevented || isRefused() || say(element))
		})
	}
	const isFirst = isLoading
	isLoading = false
	const shown = () => all(root, "[data-bind], [data-enabled], [data-shown], [data-style]")
	// By the time that there is a session, a template's content is elsewhere, where its fields have the forms that they name.
	const now = shown()
	if (!own(root, "isConnected")) await null
	for (const element of now) if (element.matches("[data-bind]") && isField(element)) Draft.bind(element, isFirst)
	const connected = await connecting
	for (const element of new Set([...now, ...shown()])) observe(connected, element)
}

// A server that is not there yet, or is restarted, is waited for.
const connectPatiently = async (options) => {
	for (let pause = 500; ; pause = Math.min(2 * pause, 1e4)) {
		try {
			return await connect(options)
		} catch (problem) {
			if (problem.status < 500 && problem.status != 429) throw problem
			await new Promise((done) => setTimeout(done, pause * (1 + Math.random())))
		}
	}
}

// The page's, as a promise: what its own script does by this one is shown by the time that it is done.
export const session = connectPatiently({ public: document.documentElement.dataset.session == "public" })

bind(session)

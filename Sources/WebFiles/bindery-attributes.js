// Binds a page to its session by attributes. docs/pages.md describes them.
import { connect } from "./bindery.js"

const all = (root, selector) => [...(root.matches?.(selector) ? [root] : []), ...root.querySelectorAll(selector)]
const isButton = (field) => field.matches("button, input:is([type=submit], [type=button], [type=reset])")
const text = (value) => (typeof value == "object" && value ? JSON.stringify(value) : String(value ?? ""))

// The outputs for the fields. A field that the user changed shows its output after a submission or a reset.
const states = new WeakMap()
// How often the user has changed a field since its last submission or reset.
const changes = new WeakMap()
// How many actions of an element are in flight.
const pending = new WeakMap()
// Elements that an output disables, and buttons of a form whose submission is in flight.
const off = new WeakSet()
const held = new WeakSet()

const showField = (field) => {
	if (changes.has(field) || !states.has(field)) return
	const value = states.get(field)
	const isIn = (option) => (Array.isArray(value) ? value.map(text).includes(option) : option == text(value))
	if (field.type == "checkbox") field.checked = value === true || (Array.isArray(value) && isIn(field.value))
	else if (field.type == "radio") field.checked = isIn(field.value)
	else if (field.type == "select-multiple") for (const option of field.options) option.selected = isIn(option.value)
	else if (field.value != text(value)) field.value = text(value)
}

const show = (element, value) => {
	states.set(element, value)
	if (element.matches("input, select, textarea")) showField(element)
	else if (element.matches("progress, meter")) element.value = value
	else element.textContent = text(value)
}

const forgetChanges = (fields) => {
	for (const field of fields) {
		changes.delete(field)
		showField(field)
	}
}

const turn = (set, element, isIn) => {
	set[isIn ? "add" : "delete"](element)
	element.disabled = off.has(element) || held.has(element)
}

const bodyOf = (form, submitter) => {
	const body = {}
	for (const field of form.elements) {
		const { name, type, value, checked } = field
		if (!name || field.matches(":disabled, fieldset, output, object, [type=file]")) continue
		if (isButton(field) && field != submitter) continue
		if (type == "checkbox" && form.elements[name].length) body[name] = [...(body[name] ?? []), ...(checked ? [value] : [])]
		else if (type == "checkbox") body[name] = checked
		else if (type == "select-multiple") body[name] = [...field.selectedOptions].map((option) => option.value)
		else if (type == "number" || type == "range") body[name] = value == "" ? undefined : field.valueAsNumber
		else if (type != "radio" || checked) body[name] = value
	}
	return Object.keys(body).length ? body : undefined
}

// Shows why the element's action was refused, in the nearest element for that.
const say = (element, message) => {
	const selector = `[data-problem="${element.dataset.action}"]`
	let place
	for (let at = element; at && !place; at = at.parentElement) place = all(at, selector)[0]
	if (place) place.textContent = message
	else if (message) console.warn(message, element)
}

const mark = (field, message) => {
	field.ariaInvalid = message ? "true" : null
	field.setCustomValidity(message)
	if (message) field.reportValidity()
}

// Runs the action, and resolves to whether it succeeded.
const act = async (element, body) => {
	const [viewModel, action] = element.dataset.action.split("/")
	pending.set(element, (pending.get(element) ?? 0) + 1)
	element.ariaBusy = "true"
	try {
		await (await session).viewModel(viewModel).action(action, body)
		say(element, "")
		return true
	} catch (problem) {
		say(element, problem.message)
		const member = problem.pointer?.split("/")[1]
		const field = member && [...(element.elements ?? [])].find(({ name }) => name == member)
		if (field) mark(field, problem.message)
	} finally {
		pending.set(element, pending.get(element) - 1)
		if (!pending.get(element)) element.ariaBusy = null
	}
}

const submit = async (form, submitter) => {
	const fields = [...form.elements]
	const sent = new Map(fields.map((field) => [field, changes.get(field)]))
	const buttons = fields.filter((field) => isButton(field) && !field.disabled)
	const focused = document.activeElement
	const isDone = act(form, bodyOf(form, submitter))
	for (const button of buttons) turn(held, button, true)
	if (await isDone) forgetChanges(fields.filter((field) => changes.get(field) == sent.get(field)))
	for (const button of buttons) turn(held, button, false)
	// A disabled button loses the focus.
	if (document.activeElement == document.body) focused.focus()
}

addEventListener("submit", (event) => {
	if (!event.target.dataset.action || event.defaultPrevented) return
	event.preventDefault()
	if (!pending.get(event.target)) submit(event.target, event.submitter)
})

addEventListener("click", (event) => {
	const element = event.target.closest("[data-action]:not(form)")
	if (!element || event.defaultPrevented) return
	event.preventDefault()
	act(element)
})

addEventListener("input", ({ target }) => {
	// The choice of a radio button changes the others of its name.
	const isChanged = (field) => field == target || (target.type == "radio" && field.name == target.name)
	for (const field of target.form?.elements ?? []) if (isChanged(field)) changes.set(field, (changes.get(field) ?? 0) + 1)
})

addEventListener("reset", ({ target, defaultPrevented }) => {
	if (!defaultPrevented) setTimeout(() => forgetChanges(target.elements))
})

// A marked field must not prevent the next submission.
const unmark = ({ target: { form } }) => form?.querySelectorAll("[aria-invalid]").forEach((field) => mark(field, ""))
for (const name of ["input", "click"]) addEventListener(name, unmark, true)

const observe = (connected, element) => {
	const { bind, enabled, shown, style = "" } = element.dataset
	const on = (path, body) => {
		const [viewModel, output] = path.split(".")
		if (connected.viewModel(viewModel).output(output) === undefined) console.warn(`No such output: ${path}`, element)
		return connected.on(path, body)
	}
	const ends = [...style.matchAll(/([\w-]+)\s*:\s*([^\s;]+)/g)].map(([, property, path]) =>
		on(path, (value) => element.style.setProperty(property, text(value))))
	if (bind) ends.push(on(bind, (value) => show(element, value)))
	if (enabled) ends.push(on(enabled, (value) => turn(off, element, !value)))
	if (shown) ends.push(on(shown, (value) => (element.hidden = !value)))
	return ends
}

// Shows outputs in an element that the page has added, and inside it. Resolves to a function that ends the updates.
export const bind = async (root) => {
	const elements = all(root, "[data-bind], [data-enabled], [data-shown], [data-style]")
	const connected = await session
	const ends = elements.flatMap((element) => observe(connected, element))
	return () => ends.forEach((end) => end())
}

// Waits for a server that restarts.
const begin = () =>
	connect({ public: document.documentElement.dataset.session == "public" }).catch(async (problem) => {
		if (problem.status < 500 && problem.status != 429) throw problem
		await new Promise((done) => setTimeout(done, 1e3 + 2e3 * Math.random()))
		return begin()
	})

// The page's session, as a promise.
export const session = begin()

bind(document)

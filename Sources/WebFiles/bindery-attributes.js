// A page without script of its own shows and acts by attributes:
//   <output data-bind="counter.text" data-style="opacity: counter.alpha"></output>
//   <button data-action="counter/decrement" data-enabled="counter.enabled">−</button>
//   <form data-action="login/validate"> … <input name="id"> … </form> <p data-problem="login/validate"></p>
// Load it as <script type="module" src="/bindery-attributes.js"></script>; with <html data-session="public"> in the public
// session. See bindery.d.ts.
import { connect } from "./bindery.js"

const each = (root, selector, body) => root.querySelectorAll(selector).forEach(body)
const text = (value) => (typeof value == "string" ? value : value == null ? "" : JSON.stringify(value))

const buttons = "button, [type=submit], [type=button], [type=reset], [type=image]"
const bodyOf = (form, submitter) => {
	const counts = (field) =>
		field.name && field.matches("input, select, textarea, button") && !field.matches(":disabled") &&
		(field.type != "radio" || field.checked) && (field == submitter || !field.matches(buttons))
	const fields = [...form.elements].filter(counts)
	const value = (field) => {
		if (field.type == "checkbox") return field.checked
		if (field.type == "select-multiple") return [...field.selectedOptions].map((option) => option.value)
		const isNumber = field.type == "number" || field.type == "range"
		// An empty one is left out.
		return !isNumber ? field.value : field.value == "" ? undefined : field.valueAsNumber
	}
	return fields.length ? Object.fromEntries(fields.map((field) => [field.name, value(field)])) : undefined
}

// Whether somebody has typed or chosen before the script was there, and not the browser, which puts back what it had shown
// before (HTML, "user validity"). An older browser does not tell.
const byUser = CSS.supports("selector(:user-valid)") ? ":user-valid, :user-invalid" : ":focus"
const isTouched = (field) => {
	const { options, type, checked, defaultChecked, value, defaultValue } = field
	if (options) return field.matches(byUser) && [...options].some((option) => option.selected != option.defaultSelected)
	const isOther = type == "checkbox" || type == "radio" ? checked != defaultChecked : value != defaultValue
	return isOther && (field.matches(byUser) || document.activeElement == field)
}

// A field's value. What somebody types is never written over: it stays until the form's action is done, and without a form
// until the field is left.
const observeField = (on, path, field) => {
	const form = field.form?.matches("[data-action]") && field.form
	const isChecked = field.type == "checkbox" || field.type == "radio"
	// The radios of a name are one field.
	const isOfField = ({ type, name }) => type == "radio" && name == field.name
	const all = form && field.type == "radio" ? [...form.elements].filter(isOfField) : [field]
	let isTyped = all.some(isTouched)
	let value
	const show = () => {
		if (isTyped || (document.activeElement == field && !isChecked)) return
		if (isChecked) field.checked = field.type == "radio" ? field.value == text(value) : value === true
		else field.value = text(value)
	}
	const release = () => {
		isTyped = false
		show()
	}
	for (const one of all) one.addEventListener("input", () => (isTyped = true))
	field.addEventListener("blur", form ? show : release)
	if (form) form.addEventListener("bindery-done", release)
	// It tells before the fields are as the page has them, and may be prevented.
	if (form) form.addEventListener("reset", (event) => setTimeout(() => event.defaultPrevented || release()))
	on(path, (next) => {
		value = next
		show()
	})
}

const observe = (session, element) => {
	const { bind, enabled, shown, style } = element.dataset
	const on = (path, body) => {
		const [viewModel, output] = path.split(".")
		if (output && !(output in session.viewModel(viewModel).toJSON())) console.warn("No such output: " + path, element)
		session.on(path, body)
	}
	if (bind && element.matches("input, textarea, select")) observeField(on, bind, element)
	else if (bind) on(bind, (value) => (element.textContent = text(value)))
	if (enabled) on(enabled, (value) => (element.disabled = !value))
	if (shown) on(shown, (value) => (element.hidden = !value))
	for (const rule of style?.split(";") ?? []) {
		const [property, path] = rule.split(":").map((part) => part.trim())
		if (path) on(path, (value) => element.style.setProperty(property, text(value)))
	}
}

// Says why an action was refused where it belongs: in the places for it, and at the field that it is about.
const say = (root, element, { message = "", pointer } = {}) => {
	const places = [...root.querySelectorAll("[data-problem]")].filter(({ dataset }) => dataset.problem == element.dataset.action)
	for (const place of places) place.textContent = message
	if (message && !places.length) console.warn(message, element)
	const name = pointer?.split("/")[1]
	for (const field of element.elements ?? []) field.ariaInvalid = field.name == name ? "true" : null
	element.querySelector("[aria-invalid]")?.focus()
}

const act = async (connecting, root, element, submitter) => {
	const [viewModel, action] = element.dataset.action.split("/")
	try {
		element.ariaBusy = "true"
		const session = await connecting
		await session.viewModel(viewModel).action(action, element.matches("form") ? bodyOf(element, submitter) : undefined)
		say(root, element)
		element.dispatchEvent(new Event("bindery-done"))
	} catch (problem) {
		say(root, element, problem)
	} finally {
		element.ariaBusy = null
	}
}

// Acts from now on, and shows once there is a session.
export const bind = async (connecting, root = document) => {
	each(root, "[data-action]", (element) => {
		element.addEventListener(element.matches("form") ? "submit" : "click", (event) => {
			event.preventDefault()
			act(connecting, root, element, event.submitter)
		})
		element.addEventListener("reset", (event) => setTimeout(() => event.defaultPrevented || say(root, element)))
	})
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

// The panel of any view model, made of its description: what it shows, and a form for each action.
import { memberOf } from "/bindery-fields.js"
import { make, textOf, write } from "./dom.js"

let numbers = 0

// A field for a member by its schema: `element`, `read`, which is undefined where nothing was entered.
const fieldOf = (name, schema, example, isRequired) => {
	const { type, enum: choices, description } = schema
	const id = `field-${++numbers}`
	const types = [type].flat()
	const given = example?.[name]
	const options = choices ?? (types.includes("boolean") && !isRequired ? [true, false] : undefined)
	let input, read
	if (options) {
		const some = isRequired ? options : [undefined, ...options]
		input = make("select", { id }, ...some.map((choice) => make("option", {}, textOf(choice))))
		input.selectedIndex = Math.max(0, some.indexOf(given))
		read = () => some[input.selectedIndex]
	} else if (types.includes("boolean")) {
		input = make("input", { id, type: "checkbox", checked: given === true })
		read = () => input.checked
	} else if (types.includes("integer") || types.includes("number")) {
		input = make("input", { id, type: "number", step: types.includes("integer") ? "1" : "any", value: given ?? "" })
		read = () => (input.value == "" ? undefined : input.valueAsNumber)
	} else if (types.includes("string")) {
		input = make("input", { id, type: "text", autocomplete: "off", value: given ?? "" })
		if (/password/i.test(name)) input.type = "password"
		read = () => (input.value == "" && !isRequired ? undefined : input.value)
	} else {
		input = make("textarea", { id, rows: 2, spellcheck: false, value: given === undefined ? "" : JSON.stringify(given) })
		read = () => (input.value.trim() == "" ? undefined : JSON.parse(input.value))
	}
	input.name = name
	const { title = isRequired ? name : `${name} (optional)` } = schema
	const label = make("label", { htmlFor: id }, title, input)
	if (description) label.title = description
	return { name, element: label, input, read }
}

// A body's fields, or one for all of it where it is no object of known members.
const fieldsOf = ({ schema, body }) => {
	if (!schema) return []
	const { properties, required = [] } = schema
	if (!properties) return [fieldOf("body", schema, { body }, true)]
	return Object.entries(properties).map(([name, member]) => fieldOf(name, member, body, required.includes(name)))
}

const bodyOf = (action, fields) => {
	if (!action.schema) return undefined
	const read = fields.map(({ name, read }) => [name, read()])
	if (!action.schema.properties) return read[0][1]
	return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

// Acts; what is refused is said where it belongs: at the field that the problem points to, and below.
export const act = async (session, name, action, input, { problem, fields = [], busy }) => {
	for (const { input } of fields) input.removeAttribute("aria-invalid")
	busy?.setAttribute("aria-busy", "true")
	try {
		await session.viewModel(name).action(action, input)
		problem.textContent = ""
	} catch (failure) {
		problem.textContent = failure.detail ?? failure.message
		const field = fields.find(({ name }) => memberOf(failure.pointer) == name)
		field?.input.setAttribute("aria-invalid", "true")
		field?.input.focus()
	} finally {
		busy?.removeAttribute("aria-busy")
	}
}

export const actionForm = (session, viewModel, action, title) => {
	const name = action.path.split("/").pop()
	const problem = make("p", { className: "problem", id: `problem-${++numbers}` })
	const fields = fieldsOf(action)
	for (const { input } of fields) input.setAttribute("aria-describedby", problem.id)
	const button = make("button", { title: action.summary }, title ?? name)
	const form = make("form", { className: "form", noValidate: true }, ...fields.map(({ element }) => element), button, problem)
	form.addEventListener("submit", (event) => {
		event.preventDefault()
		let body
		try {
			body = bodyOf(action, fields)
		} catch {
			problem.textContent = "This is no JSON."
			return
		}
		act(session, viewModel.name, name, body, { problem, fields, busy: button })
	})
	return form
}

const outputsOf = (session, name) => {
	const list = make("dl")
	const places = {}
	const end = session.viewModel(name).observe((outputs) => {
		for (const [output, value] of Object.entries(outputs)) {
			if (!places[output]) {
				places[output] = make("dd")
				list.append(make("dt", {}, output), places[output])
			}
			places[output].classList.toggle("nothing", value === null || value === "")
			write(places[output], value === "" ? '""' : textOf(value))
		}
	})
	return [list, end]
}

// What there is of a view model that has no screen of its own.
export const panel = (session, viewModel) => {
	const [list, end] = outputsOf(session, viewModel.name)
	return [[list, ...viewModel.actions.map((action) => actionForm(session, viewModel, action))], end]
}

// A card for each view model. A card only shows state; the server derives all values.
import { make, write } from "./dom.js"

// Any value as elements: texts, lists, and objects as definition lists.
const shown = (value) => {
	if (Array.isArray(value) && value.length) return make("ul", {}, ...value.map((each) => make("li", {}, shown(each))))
	if (typeof value == "object" && value && Object.keys(value).length) {
		return make("dl", {}, ...Object.entries(value).flatMap(([name, each]) => [make("dt", {}, name), make("dd", {}, shown(each))]))
	}
	const isNothing = value === "" || typeof value == "object"
	return isNothing ? make("span", { className: "nothing" }, value === null ? "null" : "empty") : String(value)
}

// A field for a member, from its schema. Without input, `read` returns undefined.
const fieldOf = (name, schema, given, isRequired) => {
	const types = [schema.type].flat()
	const choices = schema.enum ?? (types.includes("boolean") ? [false, true] : undefined)
	let input, read
	if (choices) {
		const options = isRequired ? choices : [undefined, ...choices]
		input = make("select", {}, ...options.map((choice) => make("option", {}, String(choice ?? ""))))
		input.selectedIndex = Math.max(0, options.indexOf(given))
		read = () => options[input.selectedIndex]
	} else if (types.includes("integer") || types.includes("number")) {
		input = make("input", { type: "number", step: types.includes("integer") ? "1" : "any", value: given ?? "" })
		read = () => (input.value == "" ? undefined : input.valueAsNumber)
	} else if (types.includes("string")) {
		const type = /password/i.test(name) ? "password" : "text"
		input = make("input", { type, autocomplete: "off", value: given ?? "" })
		read = () => (input.value == "" && !isRequired ? undefined : input.value)
	} else {
		input = make("textarea", { rows: 2, spellcheck: false, value: given === undefined ? "" : JSON.stringify(given) })
		read = () => (input.value.trim() == "" ? undefined : JSON.parse(input.value))
	}
	const title = schema.title ?? (isRequired ? name : `${name} (optional)`)
	return { name, element: make("label", {}, title, input), input, read }
}

// A field for each member of the body, or one field if the body is not an object with known members.
const fieldsOf = ({ schema, body }) => {
	const { properties, required } = schema ?? { properties: {} }
	if (!properties) return [fieldOf("body", schema, body, true)]
	return Object.entries(properties).map(([name, member]) => fieldOf(name, member, body?.[name], required?.includes(name)))
}

const bodyOf = ({ schema }, fields) =>
	schema?.properties ? Object.fromEntries(fields.map(({ name, read }) => [name, read()])) : fields[0]?.read()

const nameOf = ({ path }) => path.split("/").pop()

// Runs an action, shows its progress, and shows why it was refused: below, and at the field of the problem's pointer.
const act = async (viewModel, action, input, button, problem, fields = []) => {
	for (const { input } of fields) input.removeAttribute("aria-invalid")
	button.setAttribute("aria-busy", "true")
	try {
		await viewModel.action(action, input)
		problem.textContent = ""
	} catch ({ detail, message, pointer }) {
		problem.textContent = detail ?? message
		const field = fields.find(({ name }) => name == pointer?.split("/")[1])
		field?.input.setAttribute("aria-invalid", "true")
		field?.input.focus()
	} finally {
		button.removeAttribute("aria-busy")
	}
}

const formOf = (viewModel, action, title = nameOf(action)) => {
	const problem = make("p", { className: "problem", role: "alert" })
	const fields = fieldsOf(action)
	const button = make("button", { title: action.summary }, title)
	const form = make("form", { className: "form", noValidate: true }, ...fields.map(({ element }) => element), button, problem)
	form.addEventListener("submit", (event) => {
		event.preventDefault()
		if (button.hasAttribute("aria-busy")) return
		try {
			act(viewModel, nameOf(action), bodyOf(action, fields), button, problem, fields)
		} catch {
			problem.textContent = "This is not JSON."
		}
	})
	return form
}

// The articles' screens: their outputs, and how to show them.
const counter = (viewModel, { actions }) => {
	const problem = make("p", { className: "problem", role: "alert" })
	const [up, down] = actions.map((action) => {
		const button = make("button", { ariaLabel: nameOf(action), title: action.summary }, nameOf(action) == "increment" ? "+" : "−")
		button.onclick = () => act(viewModel, nameOf(action), undefined, button, problem)
		return button
	})
	const number = make("output")
	const show = ({ text, enabled, alpha }) => {
		write(number, text)
		down.disabled = !enabled
		down.style.opacity = alpha
	}
	return [[make("div", { className: "counter" }, down, number, up), problem], show]
}

const login = (viewModel, { actions: [validate] }) => {
	const said = make("p", { className: "said", role: "status" })
	const show = ({ text, color }) => {
		write(said, text)
		said.dataset.color = color ?? ""
	}
	// The page also sends empty fields: the view model names the missing values.
	const text = (title) => ({ type: "string", title })
	const schema = { properties: { id: text("ID"), password: text("Password") }, required: ["id", "password"] }
	return [[formOf(viewModel, { ...validate, schema, body: {} }, "Log in"), said], show]
}

const orientation = (viewModel, { actions: [change] }) => {
	const device = make("div", { role: "img" })
	const show = ({ isLandscape }) => {
		device.className = isLandscape ? "device landscape" : "device"
		device.ariaLabel = isLandscape ? "The device lies on its side." : "The device stands."
	}
	return [[device, formOf(viewModel, change, "Turn")], show]
}

const panel = (viewModel, { actions }) => {
	const list = make("dl")
	const places = {}
	const show = (outputs) => {
		for (const [name, value] of Object.entries(outputs)) {
			if (!places[name]) list.append(make("dt", {}, name), (places[name] = make("dd")))
			write(places[name], JSON.stringify(value), shown(value))
		}
	}
	return [[list, ...actions.map((action) => formOf(viewModel, action))], show]
}

const screens = [
	["text,enabled,alpha", "increment,decrement", counter], ["text,color", "validate", login],
	["isLandscape", "change", orientation],
]

// The card of a view model, with updates until the session is closed.
export const card = (session, description) => {
	const { name, summary, actions } = description
	const viewModel = session.viewModel(name)
	const [outputs, does] = [Object.keys(viewModel.toJSON()).join(), actions.map(nameOf).join()]
	const [, , screen = panel] = screens.find(([shows, acts]) => shows == outputs && acts == does) ?? []
	const [parts, show] = screen(viewModel, description)
	const id = `card-${name}`
	viewModel.observe(show)
	const head = [make("h2", { id }, name), make("p", { className: "summary" }, summary)]
	return make("section", { className: "card", "aria-labelledby": id }, ...head, ...parts)
}

// The screens of the articles, drawn from the state alone.
import { make, textOf, write } from "./dom.js"
import { act, actionForm, panel } from "./panel.js"

const actionOf = (viewModel, name) => viewModel.actions.find(({ path }) => path.endsWith("/" + name))

const counter = (session, { name }) => {
	const problem = make("p", { className: "problem" })
	const button = (text, label, action) => {
		const button = make("button", { ariaLabel: label, type: "button" }, text)
		button.onclick = () => act(session, name, action, undefined, { problem, busy: button })
		return button
	}
	const down = button("−", "decrement", "decrement")
	const shown = make("output", { ariaLive: "off" })
	const end = session.viewModel(name).observe(({ text = "", enabled, alpha }) => {
		write(shown, text)
		down.disabled = !enabled
		down.style.opacity = alpha
	})
	return [[make("div", { className: "counter" }, down, shown, button("+", "increment", "increment")), problem], end]
}

const login = (session, viewModel) => {
	const said = make("p", { className: "said" })
	const end = session.viewModel(viewModel.name).observe(({ text = "", color }) => {
		write(said, text)
		said.dataset.color = color ?? ""
	})
	// Both are sent as they are typed, also where nothing is.
	const schema = { properties: { id: { type: "string", title: "ID" }, password: { type: "string", title: "Password" } } }
	const action = { ...actionOf(viewModel, "validate"), schema: { ...schema, required: ["id", "password"] }, body: {} }
	return [[actionForm(session, viewModel, action, "Log in"), said], end]
}

const greeting = (session, viewModel) => {
	const title = make("p", { className: "title-shown" })
	const end = session.on(`${viewModel.name}.title`, (text) => write(title, text ?? ""))
	return [[title, actionForm(session, viewModel, viewModel.actions[0], "More emphatically")], end]
}

const profile = (session, viewModel) => {
	const [parts, end] = panel(session, viewModel)
	const seen = make("span")
	const ends = [end, session.on(`${viewModel.name}.paramB`, (value) => write(seen, textOf(value) || "nothing yet"))]
	const card = make("p", { className: "part" }, make("small", {}, "The card sees "), seen)
	return [[parts[0], card, ...parts.slice(1)], () => ends.forEach((end) => end())]
}

const orientation = (session, viewModel) => {
	const device = make("div", { className: "device", role: "img" })
	const end = session.on(`${viewModel.name}.isLandscape`, (value) => {
		device.classList.toggle("landscape", value === true)
		device.ariaLabel = value ? "The device lies on its side." : "The device stands."
	})
	return [[device, actionForm(session, viewModel, viewModel.actions[0], "Turn")], end]
}

const screens = { counter, "counter-stream": counter, login, greeting, profile, orientation, "orientation-observed": orientation }
const outputs = {
	counter: ["text", "enabled", "alpha"], "counter-stream": ["text", "enabled", "alpha"], login: ["text", "color"],
	greeting: ["title"], profile: ["paramA", "paramB"], orientation: ["isLandscape"], "orientation-observed": ["isLandscape"],
}

// The screen of a view model, where it is one of the articles' and shows what theirs does; else its panel.
const screenOf = (session, viewModel) => {
	const isKnown = outputs[viewModel.name]?.every((output) => session.viewModel(viewModel.name).output(output) !== undefined)
	return (isKnown ? screens[viewModel.name] : panel)(session, viewModel)
}

// A view model's card, and what ends its watching.
export const card = (session, viewModel) => {
	const { name, summary } = viewModel
	const [parts, end] = screenOf(session, viewModel)
	const id = `card-${name}`
	const element = make(
		"section", { className: "card", "aria-labelledby": id }, make("h2", { id }, name),
		make("p", { className: "summary" }, summary), make("div", { className: "screen" }, ...parts))
	return [element, end]
}

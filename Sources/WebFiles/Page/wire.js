// The wire: each request and each change as it happens. It replaces the page's fetch, so that it sees all requests of the client.
import { parseEvents } from "/bindery.js"
import { find, make } from "./dom.js"

// The last answer of GET /session.
export let told
const real = self.fetch
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

// The curl command of the same request. It lacks the session's token, because no script can read its cookie.
const curl = (path, { method = "GET", headers = {}, body, credentials }) => {
	const words = ["curl", "-s"]
	if (/stream/.test(headers.Accept)) words.push("-N")
	if (method != "GET") words.push("-X", method)
	if (credentials != "omit") words.push("-H", '"Authorization: Bearer $BINDERY_TOKEN"')
	if (headers.Accept) words.push("-H", quoted(`Accept: ${headers.Accept}`))
	if (body) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(body))
	return [...words, quoted(new URL(path, location.href).href)].join(" ")
}

// Shows the command, selects it, and copies it if the browser allows that.
const copy = (item, command) => {
	item.querySelector("pre")?.remove()
	const pre = make("pre", {}, command)
	item.append(pre)
	getSelection().selectAllChildren(pre)
	navigator.clipboard?.writeText(command)
}

const settle = (item) => (item.hidden = find("filter").value != "" && find("filter").value != item.dataset.viewModel)

const line = (className, text, took, viewModel, command) => {
	const now = new Date()
	const time = now.toTimeString().slice(0, 8) + "." + String(now.getMilliseconds()).padStart(3, "0")
	const item = make("li", { className }, make("time", {}, time), make("span", { className: "what" }, text))
	if (took) item.append(make("span", { className: "took" }, took))
	if (command) item.append(make("button", { title: "Copy the request as a command", onclick: () => copy(item, command) }, "curl"))
	item.dataset.viewModel = viewModel
	settle(item)
	find("lines").prepend(item)
	if (find("lines").childElementCount > 500) find("lines").lastChild.remove()
}

const tell = ({ kind, reason, cursor, changes = [] }) => {
	if (cursor) find("cursor").value = cursor
	if (kind == "snapshot") line("snapshot", `snapshot (${reason})`, "", "")
	for (const { seq, viewModel, output, value, key, removed } of changes.toReversed()) {
		const what = key === undefined ? output : `${output}[${key}]`
		line("change", `#${seq} ${viewModel}.${what} = ${removed ? "removed" : JSON.stringify(value)}`, "", viewModel)
	}
}

const asked = async (path, options) => {
	const begin = performance.now()
	const what = `${options.method ?? "GET"} ${path}`
	const command = curl(path, options)
	try {
		const answer = await real(path, options)
		const took = `${Math.round(performance.now() - begin)} ms`
		line(answer.ok ? "asked" : "failed", `${what} ${answer.status}`, took, path.split(/[/?]/)[1], command)
		if (path == "/session" && answer.status == 200) told = await answer.clone().json()
		return answer
	} catch (failure) {
		if (!options.signal?.aborted) line("failed", what, "lost", "", command)
		throw failure
	}
}

// Asks for changes by the chosen transport: the client accepts the answer of a poll like a stream.
const changes = async (path, options) => {
	const transport = find("transport").value
	if (transport == "stream") return asked(path, options)
	const polling = { ...options, headers: { ...options.headers, Accept: "application/json" } }
	if (transport == "poll") return asked(path, polling)
	for (const begin = performance.now(); ; await new Promise((done) => setTimeout(done, 1000))) {
		const answer = await asked(path.replace(/wait=\d+/, "wait=0"), polling)
		const { kind } = await answer.clone().json().catch(() => ({}))
		if (kind != "idle" || performance.now() - begin > 20e3) return answer
	}
}

self.fetch = async (path, options = {}) => {
	if (!path.startsWith("/changes")) return asked(path, options)
	const answer = await changes(path, options)
	const isStream = /event-stream/.test(answer.headers.get("Content-Type"))
	const parse = parseEvents(({ id, data }) => tell({ cursor: id, ...JSON.parse(data) }))
	const twin = answer.clone()
	if (isStream) twin.body.pipeTo(new WritableStream({ write: parse })).catch(() => {})
	else if (answer.ok) twin.json().then(tell, () => {})
	return answer
}

// Prepares the controls.
export const showWire = (names) => {
	find("filter").append(...names.map((name) => make("option", {}, name)))
	find("filter").onchange = () => [...find("lines").children].forEach(settle)
	// The client reconnects, as after a lost network.
	find("transport").onchange = () => dispatchEvent(new Event("online"))
}

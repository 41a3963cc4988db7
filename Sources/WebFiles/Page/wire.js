// What goes over the wire: each request and each change as it happens. It stands in for the page's fetch, so that it sees
// what the client does, and can do to it what networks do.
import { parseEvents } from "/bindery.js"
import { find, make } from "./dom.js"

const most = 500
const real = self.fetch
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const sizeOf = (text) => new TextEncoder().encode(text).length
const settings = { transport: "stream", delay: 0, lostUntil: 0, isPublic: true }
let line = new AbortController()

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

// The line for curl that does the same.
const curl = (path, { method = "GET", headers = {}, body }) => {
	const words = ["curl", "-s"]
	if (/stream/.test(headers.Accept)) words.push("-N")
	if (method != "GET") words.push("-X", method)
	if (!settings.isPublic) words.push("-H", '"Authorization: Bearer $BINDERY_TOKEN"')
	for (const name of ["Accept", "Content-Type", "If-None-Match"]) {
		if (headers[name] && (name != "Content-Type" || body)) words.push("-H", quoted(`${name}: ${headers[name]}`))
	}
	if (body) words.push("-d", quoted(body))
	return [...words, quoted(new URL(path, location.href).href)].join(" ")
}

const copy = async (pre) => {
	if (navigator.clipboard) await navigator.clipboard.writeText(pre.textContent)
	// Not there over http but for this machine.
	else getSelection().selectAllChildren(pre)
}

const lineOf = (kind, text, size, whole, viewModel = "") => {
	const now = new Date()
	const time = now.toTimeString().slice(0, 8) + "." + String(now.getMilliseconds()).padStart(3, "0")
	const pre = make("pre", {}, whole)
	const button = make("button", { type: "button", onclick: () => copy(pre) }, "Copy")
	const summary = make(
		"summary", {}, make("time", {}, time), make("span", {}, text), make("span", { className: "size" }, size))
	const item = make("li", { className: kind }, make("details", {}, summary, pre, button))
	item.dataset.viewModel = viewModel
	item.hidden = isFiltered(item)
	const lines = find("lines")
	lines.prepend(item)
	if (lines.childElementCount > most) lines.lastChild.remove()
}

const isFiltered = ({ dataset }) => {
	const wanted = find("filter").value
	return wanted != "" && dataset.viewModel != wanted
}

const changesTold = ({ kind, reason, cursor, changes = [] }, whole) => {
	if (cursor) find("cursor").value = cursor
	if (kind == "snapshot") lineOf("asked", `snapshot (${reason})`, `${sizeOf(whole)} B`, whole)
	for (const { seq, viewModel, output, value } of [...changes].reverse()) {
		const text = `#${seq} ${viewModel}.${output} = ${JSON.stringify(value)}`
		lineOf("change", text, `${sizeOf(JSON.stringify(value) ?? "")} B`, whole, viewModel)
	}
}

// What is told on a stream, also of each event.
const read = (body) => {
	const parse = parseEvents(({ event, id, data }) => {
		if (event == "ping") find("cursor").value = id
		else changesTold(JSON.parse(data), data)
	})
	return body.pipeThrough(
		new TransformStream({
			async transform(bytes, controller) {
				if (settings.delay) await pause(settings.delay)
				controller.enqueue(bytes)
				parse(bytes)
			},
		}))
}

// Stands in for the feed: asks for each view model again, and tells what is another.
const tags = {}
const known = {}
const askAgain = async (names, options) => {
	const changes = []
	await pause(1000)
	for (const viewModel of names) {
		const headers = { ...options.headers, Accept: "application/json" }
		if (tags[viewModel]) headers["If-None-Match"] = tags[viewModel]
		const answer = await asked(`/${viewModel}`, { ...options, headers })
		if (answer.status != 304 && !answer.ok) return answer
		if (answer.status == 304) continue
		tags[viewModel] = answer.headers.get("ETag")
		const [, seq] = tags[viewModel].slice(1, -1).split(".")
		for (const [output, value] of Object.entries(await answer.json())) {
			const isSame = JSON.stringify(known[viewModel + "." + output]) == JSON.stringify(value)
			known[viewModel + "." + output] = value
			if (!isSame) changes.push({ seq: +seq, viewModel, output, value })
		}
	}
	return Response.json({ kind: "delta", cursor: find("cursor").value, changes })
}

const asked = async (path, options = {}) => {
	const begin = performance.now()
	const what = `${options.method ?? "GET"} ${path}`
	try {
		if (Date.now() < settings.lostUntil) throw new TypeError("The connection is lost.")
		const signal = options.signal ? AbortSignal.any([options.signal, line.signal]) : line.signal
		const answer = await real(path, { ...options, signal })
		const isStream = /event-stream/.test(answer.headers.get("Content-Type"))
		const text = isStream ? "" : await answer.text()
		if (settings.delay && !isStream) await pause(settings.delay)
		const time = `${Math.round(performance.now() - begin)} ms`
		const size = isStream ? time : `${sizeOf(text)} B, ${time}`
		lineOf(answer.status < 400 ? "asked" : "failed", `${what} ${answer.status}`, size, curl(path, options))
		if (isStream) return new Response(read(answer.body), answer)
		if (path.startsWith("/changes") && answer.ok) changesTold(JSON.parse(text), text)
		return new Response([204, 304].includes(answer.status) ? null : text, answer)
	} catch (failure) {
		if (!options.signal?.aborted) lineOf("failed", `${what} lost`, "", curl(path, options))
		throw failure
	}
}

self.fetch = (path, options = {}) => {
	path = String(path)
	// The field asks for the feed once, and without a way to end it.
	const isFeed = path.startsWith("/changes?") && options.signal
	if (!isFeed || settings.transport == "stream") return asked(path, options)
	if (settings.transport == "get") return askAgain(settings.names, options)
	return asked(path, { ...options, headers: { ...options.headers, Accept: "application/json" } })
}

// Begins the line anew, as whoever hears that the network is back.
const renew = () => dispatchEvent(new Event("online"))

// Sets the controls up. `names` are those of the view models.
export const showWire = (names) => {
	settings.names = names
	find("filter").append(...names.map((name) => make("option", {}, name)))
	find("filter").onchange = () => [...find("lines").children].forEach((item) => (item.hidden = isFiltered(item)))
	find("transport").onchange = ({ target }) => {
		settings.transport = target.value
		renew()
	}
	find("latency").oninput = ({ target }) => {
		settings.delay = +target.value
		find("latency-shown").value = `${target.value} ms`
	}
	find("lose").onclick = () => {
		settings.lostUntil = Date.now() + 5000
		line.abort(new TypeError("The connection is lost."))
		line = new AbortController()
	}
	find("from").onsubmit = (event) => {
		event.preventDefault()
		const query = new URLSearchParams({ wait: 0 })
		const cursor = event.target.elements.cursor.value
		if (cursor) query.set("since", cursor)
		self.fetch(`/changes?${query}`, { credentials: settings.isPublic ? "omit" : "same-origin" })
	}
}

// Whose requests they are from now on.
export const setPublic = (isPublic) => {
	settings.isPublic = isPublic
	for (const name in tags) delete tags[name]
	for (const name in known) delete known[name]
}

// What goes over the wire: each request and each change as it happens. It stands in for the page's fetch, and for how its tabs
// share a line, so that it sees what the client does, and can do to it what networks do.
import { share as shareStream, toldByAnother } from "/bindery-tabs.js"
import { parseEvents } from "/bindery.js"
import { find, make } from "./dom.js"

const most = 500
const real = self.fetch
export const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const sizeOf = (text) => new TextEncoder().encode(text).length
const settings = { transport: "stream", delay: 0, lostUntil: 0, isPublic: true }
let line = new AbortController()
let latestSession

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

// The events of a stream, told as they come, and late by the latency that is chosen.
const read = (body) => {
	const parse = parseEvents(({ event, id, data }) => {
		if (event == "ping") find("cursor").value = id
		else changesTold(JSON.parse(data), data)
	})
	let passed = Promise.resolve()
	const pass = async (bytes, due, events) => {
		if (settings.delay) await pause(due - performance.now())
		events.enqueue(bytes)
		parse(bytes)
	}
	const late = new TransformStream({
		transform(bytes, events) {
			const due = performance.now() + settings.delay
			// Nobody reads any more where it cannot be passed on.
			passed = passed.then(() => pass(bytes, due, events)).catch(() => {})
		},
		flush: () => passed,
	})
	return body.pipeThrough(late, { signal: line.signal })
}

// Stands in for the feed: asks for each view model again, and tells what is another.
const tags = {}
const known = {}
const forget = (all) => Object.keys(all).forEach((name) => delete all[name])
const partsOf = (cursor) => /([^".]*)\.(\d+)/.exec(cursor) ?? []
const changesOf = (seq, viewModel, outputs) =>
	Object.entries(outputs).map(([output, value]) => ({ seq: +seq, viewModel, output, value }))
const askAgain = async (names, options) => {
	const headers = { ...options.headers, Accept: "application/json" }
	const newTags = {}
	let body = { kind: "delta", cursor: find("cursor").value, changes: [] }
	let isOther = false
	await pause(1000)
	for (const viewModel of names) {
		const condition = tags[viewModel] ? { "If-None-Match": tags[viewModel] } : {}
		const answer = await asked(`/${viewModel}`, { ...options, headers: { ...headers, ...condition } })
		if (answer.status == 304) continue
		if (!answer.ok) return answer
		newTags[viewModel] = answer.headers.get("ETag")
		const [, epoch, seq] = partsOf(newTags[viewModel])
		if (!epoch) throw new TypeError("The answer has no tag.")
		isOther ||= !body.cursor.startsWith(epoch + ".") || +seq < +partsOf(tags[viewModel])[2]
		body.changes.push(...changesOf(seq, viewModel, await answer.json()))
	}
	// Another history, or one that was put back: the session says where it stands.
	if (isOther) {
		const answer = await asked("/session", { ...options, headers })
		if (!answer.ok) return answer
		const { cursor, viewModels } = await answer.json()
		const changes = Object.entries(viewModels).flatMap(([name, outputs]) => changesOf(partsOf(cursor)[2], name, outputs))
		body = { kind: "snapshot", reason: "epoch", cursor, changes }
	}
	// Known once all were answered.
	Object.assign(tags, newTags)
	const isNew = ({ viewModel, output, value }) => {
		const place = viewModel + "." + output
		return JSON.stringify(known[place]) != JSON.stringify((known[place] = value))
	}
	const changed = body.changes.filter(isNew)
	if (!isOther) body.changes = changed
	changesTold(body, JSON.stringify(body))
	return Response.json(body)
}

const isStreamed = (answer) => /event-stream/.test(answer.headers.get("Content-Type"))
const isFeed = (path) => path.startsWith("/changes?")

const asked = async (path, options = {}) => {
	const begin = performance.now()
	const what = `${options.method ?? "GET"} ${path}`
	try {
		if (Date.now() < settings.lostUntil) throw new TypeError("The connection is lost.")
		const signal = options.signal ? AbortSignal.any([options.signal, line.signal]) : line.signal
		const answer = await real(path, { ...options, signal })
		const isStream = isStreamed(answer)
		const text = isStream ? "" : await answer.text()
		if (settings.delay && !isFeed(path)) await pause(settings.delay)
		const time = `${Math.round(performance.now() - begin)} ms`
		const size = isStream ? time : `${sizeOf(text)} B, ${time}`
		lineOf(answer.status < 400 ? "asked" : "failed", `${what} ${answer.status}`, size, curl(path, options))
		if (isStream) return answer
		if (path == "/session" && options.method == undefined && answer.ok) latestSession = JSON.parse(text)
		return new Response([204, 304].includes(answer.status) ? null : text, answer)
	} catch (failure) {
		if (!options.signal?.aborted) lineOf("failed", `${what} lost`, "", curl(path, options))
		throw failure
	}
}

self.fetch = (path, options) => asked(String(path), options)

// The feed by the transport that is chosen: the stream is that of all tabs, all else is this tab's own.
export const share = (renew, closing) => {
	let shared, joined
	const stream = (path, options) => {
		joined ??= new AbortController()
		shared ??= shareStream(renew, AbortSignal.any([closing, joined.signal]))
		return shared(path, options)
	}
	const leave = () => {
		joined?.abort()
		shared = joined = undefined
	}
	return async (path, options) => {
		if (!isFeed(path)) return asked(path, options)
		if (settings.transport != "stream") leave()
		if (settings.transport == "get") return askAgain(settings.names, options)
		const headers = { ...options.headers, Accept: "application/json" }
		const answer = await (settings.transport == "stream" ? stream(path, options) : asked(path, { ...options, headers }))
		if (!isStreamed(answer)) return answer.ok ? told(answer) : answer
		if (answer.statusText == toldByAnother) lineOf("asked", toldByAnother, "", "Another tab of this browser has the stream.")
		return new Response(read(answer.body), answer)
	}
}

const told = async (answer) => {
	if (settings.delay) await pause(settings.delay)
	const text = await answer.clone().text()
	changesTold(JSON.parse(text), text)
	return answer
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
		forget(tags)
		forget(known)
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
	find("from").onsubmit = async (event) => {
		event.preventDefault()
		const query = new URLSearchParams({ wait: 0 })
		const cursor = event.target.elements.cursor.value
		if (cursor) query.set("since", cursor)
		const answer = await asked(`/changes?${query}`, { credentials: settings.isPublic ? "omit" : "same-origin" })
		if (answer.ok) told(answer)
	}
}

// Whose requests they are from now on.
export const setPublic = (isPublic) => {
	settings.isPublic = isPublic
	forget(tags)
	forget(known)
}

// What was last told of the session itself.
export const sessionTold = () => latestSession

// The page of a server: what its view models show, and what goes over the wire for it.
import { pause, sessionTold, setPublic, showWire } from "./wire.js"
import { connect } from "/bindery.js"
import { find, make } from "./dom.js"
import { card } from "./screens.js"

const words = { live: "live", waiting: "connection lost", offline: "offline", ended: "session ended" }
const spoken = { live: "Connected.", waiting: "Connection lost. Trying again.", offline: "Offline.", ended: "The session ended." }
let index
let session
let ends = []
let hasPublic = true
let isOwn = false

const ask = async (path, options = {}) => {
	const headers = options.body ? { "Content-Type": "application/json" } : {}
	const answer = await fetch(path, { credentials: isOwn ? "same-origin" : "omit", headers, ...options })
	if (answer.ok) return
	const { detail } = await answer.json().catch(() => ({}))
	throw Error(detail ?? `No answer (${answer.status}).`)
}

// The band says what was refused until the next is done, and that the connection is lost.
let refused = ""
const showBand = (connection = session?.status().connection) => {
	const isAway = connection == "waiting" || connection == "offline"
	find("band").textContent = isAway ? spoken[connection] : refused
	find("band").hidden = !find("band").textContent
	find("band").classList.toggle("refused", !isAway)
	document.body.classList.toggle("away", isAway)
}

// Does what a control is for, and says what was refused.
const attempt = (body) => async (event) => {
	const say = (text) => {
		refused = text
		showBand()
	}
	try {
		await body(event)
		say("")
	} catch ({ message }) {
		say(message)
		find("status").textContent = message
	}
}

const showWhose = () => {
	const { public: isPublic, expiresIn, language } = sessionTold()
	const hours = Math.round(expiresIn / 3600)
	find("whose").textContent = isPublic
		? "public session, shared by all"
		: `own session, ends in ${hours ? `${hours} h` : `${Math.round(expiresIn / 60)} min`} unless used`
	find("language").value = language
	find("language").disabled = isPublic
}

const askWhose = async () => {
	await ask("/session")
	showWhose()
}

const showConnection = (connection) => {
	if (!connection) return
	if (find("connection").dataset.connection != connection) find("status").textContent = spoken[connection]
	find("connection").dataset.connection = connection
	find("word").textContent = words[connection]
	showBand(connection)
	// Another has begun where one ended.
	if (connection == "live") showWhose()
}

const show = async (isPublic) => {
	setPublic(isPublic)
	const next = await connect({ public: isPublic, tabs: "/bindery/wire.js" }).catch((failure) => {
		setPublic(!isOwn)
		throw failure
	})
	session?.close()
	for (const end of ends) end()
	session = next
	isOwn = !isPublic
	find("end").hidden = isPublic
	find("public").hidden = isPublic || !hasPublic
	find("own").hidden = !isPublic
	const cards = index.viewModels.map((viewModel) => card(session, viewModel))
	find("cards").replaceChildren(...cards.map(([element]) => element))
	ends = cards.map(([, end]) => end)
	session.on("connection", showConnection)
	find("cursor").value = session.status().cursor
}

// Languages by their own names.
const languageOption = (code) => {
	const name = new Intl.DisplayNames([code], { type: "language" }).of(code)
	return make("option", { value: code, lang: code }, name)
}

// Begins in the public session where there is one, and waits for a server that is not there yet.
const begin = async () => {
	const answer = await fetch("/", { headers: { Accept: "application/json" } })
	if (!answer.ok) throw Error(`No answer (${answer.status}).`)
	index = await answer.json()
	await show(true).catch((failure) => {
		if (failure.status != 401) throw failure
		hasPublic = false
		return show(false)
	})
}

for (let isShown = false; !isShown; ) {
	isShown = await begin().then(() => true, () => showBand("waiting"))
	if (!isShown) await pause(1000 + 1000 * Math.random())
}
document.title = index.name
find("name").textContent = index.name
find("language").append(...index.languages.map(languageOption))
showWire(index.viewModels.map(({ name }) => name))
find("own").onclick = attempt(() => show(false))
find("public").onclick = attempt(() => show(true))
find("end").onclick = attempt(() => ask("/session", { method: "DELETE" }))
find("language").onchange = attempt(async ({ target }) => {
	await ask("/session", { method: "PATCH", body: JSON.stringify({ language: target.value }) }).finally(askWhose)
})
// Another tab may have changed the language.
addEventListener("focus", () => askWhose().catch(() => {}))
showWhose()

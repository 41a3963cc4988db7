// The page of a server: its view models, and the wire.
import { showWire, told } from "./wire.js"
import { connect } from "/bindery.js"
import { card } from "./cards.js"
import { find, make } from "./dom.js"

const spoken = { live: "Connected.", waiting: "Connection lost.", offline: "Offline.", ended: "The session ended." }
let index, session
let hasPublic = true
let refused = ""

// Shows the last refusal until the next success. Without a connection, shows when the client tries again.
const showBand = () => {
	const { connection, until } = session?.status() ?? { connection: "waiting" }
	const isAway = connection == "waiting" || connection == "offline"
	const seconds = Math.ceil((until - Date.now()) / 1000)
	find("band").textContent = isAway ? `${spoken[connection]} Next try ${seconds > 0 ? `in ${seconds} s` : "now"}.` : refused
	find("band").hidden = !find("band").textContent
	find("band").classList.toggle("refused", !isAway)
	document.body.classList.toggle("away", isAway)
}

// Runs the task of a control, and shows why it was refused.
const attempt = (body) => async (event) => {
	refused = await body(event).then(() => "", ({ detail, message }) => detail ?? message)
	if (refused) find("status").textContent = refused
	showBand()
}

const showSession = () => {
	const left = `${+(told.expiresIn / 3600).toFixed(1)} h`
	find("whose").textContent = told.public ? "public session, shared by all" : `own session, kept for ${left} after its last use`
	find("language").value = told.language
	find("language").disabled = told.public
}

const showConnection = (connection) => {
	if (find("connection").dataset.connection != connection) find("status").textContent = spoken[connection]
	find("connection").dataset.connection = connection
	find("word").textContent = connection
	showBand()
	// The session ended, and the client began another one.
	if (connection == "live") showSession()
}

const show = async (isPublic) => {
	const next = await connect({ public: isPublic })
	session?.close()
	session = next
	find("cards").replaceChildren(...index.viewModels.map((viewModel) => card(session, viewModel)))
	find("end").hidden = isPublic
	find("public").hidden = isPublic || !hasPublic
	find("own").hidden = !isPublic
	session.on("connection", showConnection)
}

// Begins in the public session, if the server has one.
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

while (!(await begin().then(() => true, () => showBand()))) await new Promise((done) => setTimeout(done, 1000 + 1000 * Math.random()))
find("name").textContent = document.title = index.name
for (const code of index.languages) {
	const name = new Intl.DisplayNames([code], { type: "language" }).of(code)
	find("language").append(make("option", { value: code, lang: code }, name))
}
showWire(index.viewModels.map(({ name }) => name))
find("own").onclick = attempt(() => show(false))
find("public").onclick = attempt(() => show(true))
find("end").onclick = attempt(() => session.end())
find("language").onchange = attempt(({ target }) => session.language(target.value).finally(showSession))
setInterval(() => document.body.classList.contains("away") && showBand(), 500)

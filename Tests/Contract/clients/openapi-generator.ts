// A session through the client that openapi-generator makes for TypeScript: node openapi-generator.js URL
import * as bindery from "./client";

declare const process: { argv: string[]; exit(status: number): never };

function check(isTrue: boolean, sentence: string) {
    if (!isTrue) throw new Error(`not so: ${sentence}`);
}

async function status(request: Promise<unknown>): Promise<number> {
    try {
        await request;
        return 200;
    } catch (error) {
        return (error as bindery.ResponseError).response.status;
    }
}

async function main(basePath: string) {
    const begun = await new bindery.SessionsApi(new bindery.Configuration({ basePath })).beginSession();
    const own = new bindery.Configuration({ basePath, accessToken: begun.token });
    const [counter, changes] = [new bindery.CounterApi(own), new bindery.ChangesApi(own)];

    const index = await new bindery.ServiceApi(own).showIndex();
    check(index.viewModels[0].path === "/counter", "the index leads to the view models");
    check((await status(counter.decrementCounter())) === 409, "decrement is disabled");
    const acted = await counter.incrementCounterRaw({ idempotencyKey: "once" });
    check((await acted.value()).text === "1", "increment counts");
    check((await counter.incrementCounter({ idempotencyKey: "once" })).text === "1", "once for a key");
    const login = await new bindery.LoginApi(own).validateLogin({
        validateLoginRequest: { id: "taro", password: "himitsu" },
    });
    check(login.color === bindery.LoginColorEnum.Green, "login is validated");

    const delta = await changes.getChanges({ since: begun.cursor, topics: [bindery.GetChangesTopicsEnum.Counter] });
    check(delta.kind === "delta" && delta.changes[0].value === "1", "the changes are told");
    const topics = [bindery.GetChangesTopicsEnum.Counter, bindery.GetChangesTopicsEnum.Login];
    const both = await changes.getChanges({ since: begun.cursor, topics });
    check(both.changes.length === 5 && both.changes[4].viewModel === "login", "two topics are told together");
    const idle = await changes.getChanges({ since: delta.cursor, wait: 0 });
    check(idle.kind === "idle" && idle.changes.length === 0, "nothing more has changed");
    const after = await changes.getChanges({ since: acted.raw.headers.get("ETag") ?? undefined, wait: 0 });
    check(after.changes[0].viewModel === "login", "the ETag is a cursor");

    await new bindery.SessionsApi(own).endSession();
    check((await status(counter.getCounter())) === 401, "the session has ended");
}

main(process.argv[2]).catch((error) => {
    console.error(error);
    process.exit(1);
});

extension JapaneseProblems {
    /// What each type is, and what to do about it.
    static let texts: [String: ProblemText] = [
        "malformed-json": ProblemText(
            title: "本文が JSON ではありません", detail: "正しい JSON を UTF-8 で送ってください (RFC 8259)。"),
        "malformed-query": ProblemText(
            title: "クエリが正しくありません", detail: "このパスのパラメーターは /openapi.yaml にあります。"),
        "malformed-header": ProblemText(
            title: "ヘッダーが正しくありません", detail: "このパスのヘッダーは /openapi.yaml にあります。"),
        "session-unknown": ProblemText(
            title: "セッションが見つかりません",
            detail: "トークンの形が正しくないか、セッションが終了したか、発行されたことがありません。POST /sessions で始めてください。"),
        "session-ended": ProblemText(
            title: "セッションは終了しました", detail: "POST /sessions で新しいセッションを始めてください。"),
        "session-required": ProblemText(
            title: "セッションが必要です",
            detail: "POST /sessions で始め、そのトークンを Authorization: Bearer で送ってください。"),
        "session-changed": ProblemText(
            title: "別のセッションの資格情報です",
            detail: "トークンまたは Cookie は Bindery-Session が示すものとは別のセッションのものです。別のタブなどで Cookie が変わりました。"
                + "GET /session を読んでその id で続けるか、Bindery-Session を送らないでください。"),
        "cross-site": ProblemText(
            title: "別のサイトからの要求です",
            detail: "このホストのページから送るか、Authorization: Bearer でトークンを送ってください。"),
        "public-session": ProblemText(
            title: "公開セッションは全員のものです",
            detail: "終了したり言語を変えたりすることは誰にもできません。POST /sessions で自分のセッションを始めて使ってください。"),
        "https-required": ProblemText(
            title: "セッションの Cookie には HTTPS が必要です",
            detail: "ページは http で読み込まれましたが、HTTPS 専用の Cookie はそこではブラウザーに捨てられます。https で読み込んでください。TLS を"
                + "終端するプロキシは X-Forwarded-Proto: https を送ります。Cookie が安全でなくてよければ (hasSecureCookies; "
                + "--secure-cookies) http でもかまいません。"),
        "precondition-failed": ProblemText(
            title: "ビューモデルは変わっています",
            detail: "ETag が If-Match のものと違います。読み直して判断し直してください。何も変更されていません。"),
        "not-json": ProblemText(
            title: "本文が JSON として送られていません", detail: "Content-Type: application/json で送ってください。"),
        "wrong-shape": ProblemText(
            title: "本文の形が違います",
            detail: "JSON ですが、ここで受け取る形ではありません。pointer がそのメンバーを示します。"),
        "idempotency-mismatch": ProblemText(
            title: "この Idempotency-Key は別の要求に使われました",
            detail: "この要求では何も行われず、キーの最初の要求が有効です。同じパスと本文を送ればそのときの答えが返ります。そうでなければ新しいキーを使ってください。"),
        "too-many-actions": ProblemText(
            title: "アクションが多すぎます", detail: "Retry-After の秒数だけ待ってください。"),
        "too-many-waiting-actions": ProblemText(
            title: "待っているアクションが多すぎます",
            detail: "このセッションのアクションは、順番待ちと保存待ちを合わせて上限に達しています (waitingActions; --max-waiting-actions)。この"
                + "アクションは始まっていません。Retry-After の秒数だけ待ってください。"),
        "too-many-keys": ProblemText(
            title: "Idempotency-Key が多すぎます",
            detail: "セッションのキーは上限に達しており (keysPerSession; --max-keys)、期限 (idempotencyWindow; --idempotency-window) の前には"
                + "消えません。アクションは始まっていません。Retry-After の秒数だけ待つか、別のセッションを始めてください。"),
        "too-many-key-bytes": ProblemText(
            title: "Idempotency-Key の答えが大きすぎます",
            detail: "セッションのキーと共に保存する答えは上限に達しており (keyBytesPerSession; --max-key-bytes)、期限 (idempotencyWindow; "
                + "--idempotency-window) の前には消えません。アクションは始まっていません。Retry-After の秒数だけ待つか、別のセッションを始めてください。"),
        "too-many-streams": ProblemText(
            title: "イベントストリームが多すぎます",
            detail: "一つのトークン、公開セッションでは一つのネットワークが開けるストリームの上限に達しています (streamsPerToken; --max-streams)。一つ閉じるか、"
                + "Retry-After の秒数だけ待ってください。"),
        "too-many-new-sessions": ProblemText(
            title: "始めたセッションが多すぎます",
            detail: "このネットワークが一分間に始められるセッションの上限に達しています (newSessionsPerMinute; --max-new-sessions)。Retry-After の秒数だけ"
                + "待ってください。プロキシの後ろでは、信頼されるまで (trustedProxies; --trusted-proxy) 全員が一つと数えられます。"),
        "too-many-sessions": ProblemText(
            title: "これ以上セッションを始められません", detail: "Retry-After の秒数が過ぎてから試してください。"),
        "memory-full": ProblemText(
            title: "セッションのためのメモリーがありません",
            detail: "サーバーのメモリーは上限に達しており (memoryBytes; --max-memory)、使用中のセッションが使っています。何も行われていません。Retry-After の"
                + "秒数が過ぎてから試してください。"),
        "model-unreadable": ProblemText(
            title: "保存されたビューモデルを読めません",
            detail: "viewModel が示すビューモデルの保存内容をこのビルドでは読めません。別のビルドが保存したものか、モデルが自ら書いたものを読めないためです。"
                + "何も変更されていません。セッションの他のビューモデルは使えます。それぞれのパスで、変更は topics を付けて求めてください。管理者は Request-Id でログから原因を見つけられます。"),
        "session-unreadable": ProblemText(
            title: "保存されたセッションを読めません",
            detail: "保存されたセッションが壊れているか、このサーバーのより新しいビルドが保存したものです。何も変更されていません。管理者は Request-Id でログから原因を"
                + "見つけられます。"),
        "action-timeout": ProblemText(
            title: "アクションに時間がかかりすぎました",
            detail: "アクションに許される時間 (actionTime; --action-timeout) を超えたため打ち切られました。その結果は今も後も保存されませんが、サーバーの外で行ったことは"
                + "行われたか、これから行われるかもしれません。"),
        "store-unavailable": ProblemText(
            title: "ストアが応答しません",
            detail: "表示されるものは何も変更されていません。Retry-After の秒数が過ぎてから試してください。"),
        "server-busy": ProblemText(
            title: "サーバーが混んでいます",
            detail: "時間のかかるアクションが同時に動かせる上限に達しています。何も行われていません。Retry-After の秒数が過ぎてから試してください。"),
        "session-busy": ProblemText(
            title: "セッションのビューモデルはまだ作られていません",
            detail: "それを作るのに、または他のセッションのものを作るのに、アクションに許される時間より長くかかっています。何も行われていません。Retry-After の秒数が過ぎてから"
                + "試してください。"),
        "misdirected-request": ProblemText(
            title: "このサーバーのホストではありません",
            detail: "サーバーはこの名前では応答しません。IP アドレスか許可された名前を使うか、この名前を許可してください (allowedHosts; --allowed-hosts)。プロキシの後ろでは "
                + "Host をそのまま渡すか、信頼されたプロキシ (trustedProxies; --trusted-proxy) から X-Forwarded-Host を送ってください。"),
        "draining": ProblemText(
            title: "サーバーはまもなく停止します", detail: "新しい接続でもう一度試してください。"),
        "bad-request": ProblemText(
            title: "要求が正しくありません", detail: "RFC 9112 のとおりの要求を送ってください。"),
        "ambiguous-length": ProblemText(
            title: "長さが一つに決まりません", detail: "本文の長さを一度だけ示してください。"),
        "malformed-host": ProblemText(
            title: "Host が正しくありません", detail: "Host をちょうど一つ送ってください。"),
        "malformed-path": ProblemText(
            title: "パスが正しくありません", detail: "パスをパーセントエンコードしてください。"),
        "not-found": ProblemText(title: "見つかりません", detail: "何があるかは GET / で分かります。"),
        "method-not-allowed": ProblemText(
            title: "このメソッドは使えません", detail: "使えるメソッドは Allow にあります。"),
        "body-too-large": ProblemText(title: "本文が大きすぎます", detail: "もっと短くしてください。"),
        "target-too-long": ProblemText(
            title: "要求先が長すぎます", detail: "パスまたはクエリを短くしてください。"),
        "expectation-failed": ProblemText(
            title: "Expect に応じられません", detail: "ここで応じるのは 100-continue だけです。"),
        "header-too-large": ProblemText(
            title: "ヘッダーが大きすぎます", detail: "Cookie などのフィールドを減らすか短くしてください。"),
        "too-many-connections": ProblemText(
            title: "接続が多すぎます", detail: "一つの接続を複数の要求に使ってください。"),
        "internal-error": ProblemText(
            title: "内部エラー",
            detail: "サーバーで問題が起きました。もう一度試し、続くようなら Request-Id を添えて知らせてください。"),
        "not-implemented": ProblemText(
            title: "対応していません", detail: "本文はそのまま、または chunked で送ってください。"),
        "server-full": ProblemText(
            title: "サーバーがいっぱいです", detail: "少し待ってからもう一度試してください。"),
        "stopping": ProblemText(
            title: "停止中です",
            detail: "少し待ってからもう一度試してください。途中で打ち切られた変更は始まっていたかもしれません。"),
        "version-not-supported": ProblemText(
            title: "この HTTP のバージョンには対応していません", detail: "HTTP/1.1 を使ってください。"),
    ]

    /// Of the refusals that every view model may have.
    static let titles = [
        "action-disabled": "このアクションは今は使えません", "action-invalid": "入力が正しくありません",
        "action-not-found": "示されたものは存在しません", "action-forbidden": "このアクションは許可されていません",
        "action-conflict": "アクションは今あるものと両立しません",
    ]

    /// What is said of one occurrence alone.
    static let details = [
        Detail(
            "There is nothing at this path; did you mean {}? GET / lists what there is.",
            "このパスには何もありません。{} のことですか。何があるかは GET / で分かります。"),
        Detail("This path answers {} only.", "このパスで使えるのは {} だけです。"),
        Detail(
            "This path takes no query; leave out the question mark and what follows.",
            "このパスにクエリはありません。疑問符から後を取り除いてください。"),
        Detail("Did you mean {}? This path takes {}.", "{} のことですか。このパスのパラメーターは {} です。"),
        Detail("This path takes {}.", "このパスのパラメーターは {} です。"),
        Detail("Send one {} header, not two. Nothing was begun.", "{} ヘッダーは一つだけ送ってください。何も始まっていません。"),
        Detail(
            "If-Match and If-None-Match take * or entity tags in double quotes, separated by commas.",
            "If-Match と If-None-Match は * か、二重引用符で囲みコンマで区切ったエンティティタグです。"),
        Detail(
            "An Idempotency-Key has 1 to 255 visible ASCII characters, in double quotes or, without a comma, not; no double quote is "
                + "inside. A new UUID will do. Nothing was begun.",
            "Idempotency-Key は表示できる ASCII の 1 から 255 文字です。二重引用符で囲むか、コンマがなければ囲まなくてもかまいません。中に二重引用符は使えません。"
                + "新しい UUID で十分です。何も始まっていません。"),
        Detail(
            "{} is a cursor, EPOCH.SEQ, as an answer gave it in cursor or, in quotes, as its ETag; leave it out to begin with "
                + "everything.",
            "{} は EPOCH.SEQ の形のカーソルで、答えの cursor か、引用符付きで ETag にあります。省けば全体から始まります。"),
        Detail("wait is a number of seconds, 0 or more.", "wait は 0 以上の秒数です。"),
        Detail("values is all or none.", "values は all か none です。"),
        Detail("Send {} once.", "{} は一度だけ送ってください。"),
        Detail(
            "Did you mean {}? topics is a list of view models and facets, like {}; see GET / for the names.",
            "{} のことですか。topics は {} のような、ビューモデルとファセットの並びです。名前は GET / にあります。"),
        Detail(
            "topics is a list of view models and facets, like {}; see GET / for the names.",
            "topics は {} のような、ビューモデルとファセットの並びです。名前は GET / にあります。"),
        Detail("This action takes a JSON body and none was sent.", "このアクションには JSON の本文が必要です。"),
        Detail(
            "Send what is to be changed, as {}.", "変更するものを {} のように送ってください。"),
        Detail(
            "The member that the pointer names is unknown; known members: {}.",
            "pointer が示すメンバーは知られていません。使えるのは {} です。"),
        Detail(
            "The member that the pointer names is unknown; its object has no members.",
            "pointer が示すメンバーは知られていません。そのオブジェクトにメンバーはありません。"),
        Detail(
            "The member that the pointer names is no language that is spoken here; these are: {}.",
            "pointer が示す言語はここでは話されません。使えるのは {} です。"),
        Detail(
            "Send the body as it is, without Content-Encoding.", "本文は Content-Encoding を使わずにそのまま送ってください。"),
        Detail("Send JSON in UTF-8, without another charset.", "JSON は他の charset を使わず UTF-8 で送ってください。"),
        Detail(
            "Nothing was changed that is shown. Try again as late as Retry-After says. The action may have been begun: what it did "
                + "outside of this server is done then.",
            "表示されるものは何も変更されていません。Retry-After の秒数が過ぎてから試してください。アクションは始まっていたかもしれず、そのときサーバーの外で行ったことは"
                + "行われています。"),
        Detail(
            "It took longer than an action may (actionTime; --action-timeout) and was given up: nothing of it is stored, now or "
                + "later, but what it did outside of this server is done, or may yet be. Its Idempotency-Key stands for this answer; to "
                + "try again, use a new one.",
            "アクションに許される時間 (actionTime; --action-timeout) を超えたため打ち切られました。その結果は今も後も保存されませんが、サーバーの外で行ったことは行われたか、"
                + "これから行われるかもしれません。この答えは Idempotency-Key と共に残ります。もう一度試すには新しいキーを使ってください。"),
        Detail(
            "The action failed: nothing of it is stored, but what it did outside of this server is done. Its Idempotency-Key stands for "
                + "this answer; to try again, use a new one. If it stays, report it with the Request-Id.",
            "アクションは失敗しました。その結果は保存されていませんが、サーバーの外で行ったことは行われています。この答えは Idempotency-Key と共に残ります。もう一度試すには"
                + "新しいキーを使い、続くようなら Request-Id を添えて知らせてください。"),
        Detail(
            "A body may have {} bytes (bodyBytes; --max-body): send less.",
            "本文は {} バイトまでです (bodyBytes; --max-body)。もっと短くしてください。"),
        Detail("A path with its query may have {} bytes.", "パスとクエリは合わせて {} バイトまでです。"),
    ]
}

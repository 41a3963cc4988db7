import Foundation
import HTTP

extension Service {
    /// The route of the files of a host's own, which are where no other route is; none where there are none.
    var staticRoutes: [Route] {
        guard let files = staticFiles else { return [] }
        return [Route(.get, "/*", answer: { try Self.answer($0, from: files) })]
    }

    /// The paths at which routes answer for the service, and where there are files that nobody is therefore served.
    func hiddenFiles(behind routes: [Route]) -> [String] {
        guard let staticFiles else { return [] }
        let own = Set(routes.map(\.template)).subtracting(["/", "/*"])
        return own.filter { path in
            guard case .file(let descriptor, _, _)? = try? staticFiles.open(Self.names(in: path) ?? []) else {
                return false
            }
            close(descriptor)
            return true
        }.sorted()
    }

    /// The page of a host's own at `/`; nil where there is none.
    func ownPage(for request: Request) throws -> Response? {
        guard let staticFiles, case .file(let descriptor, let status, let name)? = try staticFiles.open(["index.html"])
        else {
            return nil
        }
        var response = try Self.answer(request, descriptor, status, name)
        response.headers.append(Header(.vary, "Accept"))
        return response
    }

    private static func answer(_ request: Request, from files: StaticFiles) throws -> Response {
        guard let names = names(in: request.path) else { throw ProblemType.notFound.problem() }
        let isDirectory = names.last == ""
        switch try files.open(isDirectory ? names.dropLast() + ["index.html"] : names) {
        case .file(let descriptor, let status, let name): return try answer(request, descriptor, status, name)
        case .directory where !isDirectory:
            // Its page's links are relative to what is in it.
            return Response(status: 308, headers: [Header(.location, request.path + "/"), .noStore])
        case .directory, nil: throw ProblemType.notFound.problem()
        }
    }

    /// A file: kept by browsers, which ask each time whether it is still the same.
    private static func answer(_ request: Request, _ descriptor: Int32, _ status: stat, _ name: String) throws
        -> Response
    {
        let body = FileBody(descriptor: descriptor, length: Int(status.st_size))
        let time = status.st_mtim
        let tag =
            "\""
            + [
                UInt64(status.st_ino), UInt64(bitPattern: Int64(time.tv_sec)), UInt64(time.tv_nsec),
                UInt64(body.length),
            ]
            .map { String($0, radix: 36) }.joined(separator: "-") + "\""
        let headers = [
            Header(.cacheControl, "no-cache"), Header(.eTag, tag), Header("X-Content-Type-Options", "nosniff"),
        ]
        if let known = try EntityTags(.ifNoneMatch, of: request), known.matchWeakly(tag) {
            return Response(status: 304, headers: headers)
        }
        return Response(headers: [Header(.contentType, WebMediaType.of(name))] + headers, body: .file(body))
    }

    /// The names in a path, decoded; nil where one is none.
    private static func names(in path: String) -> [String]? {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let names = parts.compactMap { String($0).removingPercentEncoding }
        return names.count == parts.count ? names : nil
    }
}

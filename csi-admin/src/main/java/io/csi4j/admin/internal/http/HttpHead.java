package io.csi4j.admin.internal.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The head of a request: everything before its body.
 *
 * @param method the method, in upper case; a HEAD request has the method GET
 * @param path the parts of the path between its slashes, each decoded; none for /
 * @param query the decoded parameters of the query, each with its values in their order
 * @param headers the headers
 * @param peer the address of the client; empty on a Unix socket
 */
public record HttpHead(
        String method,
        List<String> path,
        Map<String, List<String>> query,
        HttpHeaders headers,
        Optional<InetAddress> peer) {
    /** The largest number of parameters in a query. */
    private static final int PARAMETERS = 32;

    /**
     * Splits and decodes the target of a request.
     *
     * @throws IllegalArgumentException if the target is not encoded correctly
     */
    static HttpHead of(String method, String target, HttpHeaders headers, Optional<InetAddress> peer) {
        if (!target.startsWith("/")) {
            throw new IllegalArgumentException("the target of the request does not begin with /");
        }
        QueryStringDecoder decoder =
                QueryStringDecoder.builder().maxParams(PARAMETERS).build(target);
        String raw = decoder.rawPath().substring(1);
        List<String> path = raw.isEmpty()
                ? List.of()
                : Arrays.stream(raw.split("/", -1))
                        .map(part -> QueryStringDecoder.decodeComponent(part.replace("+", "%2B")))
                        .toList();
        return new HttpHead(method, path, decoder.parameters(), headers, peer);
    }

    /** Returns the value of a header; empty if the request does not have it. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }
}

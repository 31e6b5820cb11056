package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that a page of another site, or a program that the user did not mean, could send. */
class AdminCrossSiteTest {
    private static final String TOKEN = "q7Jx0sW2mUe5Zb9RkT4yVh8CnLd3Pf6A";

    private static int status(AdminRig rig, String method, String... headers) throws Exception {
        return rig.http
                .send(
                        HttpRequest.newBuilder(rig.at("/v1/volumes/default/db/recheck"))
                                .method(method, HttpRequest.BodyPublishers.ofString("{}"))
                                .headers(Stream.concat(Stream.of("X-Any", "1"), Stream.of(headers))
                                        .toArray(String[]::new))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @ParameterizedTest
    @CsvSource({
        "Sec-Fetch-Site, cross-site, 403",
        "Sec-Fetch-Site, same-site, 403",
        "Sec-Fetch-Site, same-origin, 200",
        "Sec-Fetch-Site, none, 200",
        "Origin, http://evil.example.com, 403",
        "Origin, null, 403",
        "Origin, http://localhost.evil.example.com, 403"
    })
    void actionOfAPageOfAnotherSiteIsRefused(String header, String value, int status) throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            assertThat(status(rig, "POST", "Content-Type", "application/json", header, value))
                    .isEqualTo(status);
        }
    }

    @Test
    void actionWithTheTypeOfAFormIsRefused() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            assertThat(status(rig, "POST", "Content-Type", "text/plain")).isEqualTo(415);
            assertThat(status(rig, "POST", "Content-Type", "application/x-www-form-urlencoded"))
                    .isEqualTo(415);
            assertThat(status(rig, "POST")).isEqualTo(415);
            assertThat(status(rig, "POST", "Content-Type", "application/json; charset=utf-8"))
                    .isEqualTo(200);
        }
    }

    @Test
    void passwordThatABrowserSendsByItselfIsEnoughToReadOnly() throws Exception {
        String basic = "Basic " + Base64.getEncoder().encodeToString(("x:" + TOKEN).getBytes(StandardCharsets.UTF_8));
        try (AdminRig rig = new AdminRig(builder -> builder.token(TOKEN))) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            assertThat(rig.get("/v1/volumes", "Authorization", basic).statusCode())
                    .isEqualTo(200);
            assertThat(status(rig, "POST", "Content-Type", "application/json", "Authorization", basic))
                    .isEqualTo(401);
            assertThat(status(rig, "POST", "Content-Type", "application/json", "Authorization", "Bearer " + TOKEN))
                    .isEqualTo(200);
        }
    }
}

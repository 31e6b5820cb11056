package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.admin.access.FirstToken;
import io.csi4j.admin.access.TokenAuthenticator;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way of an operator: a first token from a file, policies from files, tokens for others. */
class AdminTokensTest {
    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Environment environment = Environment.system();
    private final StateStore store = StateStore.inMemory();
    private @Nullable AccessPolicies policies;
    private @Nullable VolumeLifecycle lifecycle;
    private @Nullable AdminServer admin;
    private String management = "";

    @BeforeEach
    void start() throws Exception {
        Files.writeString(directory.resolve("team-a.policy"), """
                namespace "a-*" allow VOLUME_LIST VOLUME_READ VOLUME_WRITE
                namespace "a-secret" deny VOLUME_LIST
                cluster allow PLUGIN_LIST
                """);
        policies = AccessPolicies.open(directory, environment, AccessControl.off());
        lifecycle = VolumeLifecycle.builder()
                .log(new LocalCommandLog(store))
                .gateway(new InstantGateway() {
                    @Override
                    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
                        return CompletableFuture.completedFuture(response);
                    }
                })
                .environment(environment)
                .access(policies)
                .build();
        lifecycle.startLeading();
        Path file = directory.resolve("first-token");
        assertThat(FirstToken.create(lifecycle, file).get(20, TimeUnit.SECONDS)).isTrue();
        management = Files.readString(file).strip();
        admin = AdminServer.builder(lifecycle)
                .environment(environment)
                .authenticator(TokenAuthenticator.of(store, environment.clock()))
                .policies(policies)
                .start();
    }

    @AfterEach
    void close() {
        admin.close();
        lifecycle.close();
        policies.close();
        environment.close();
        store.close();
    }

    private HttpResponse<String> send(String token, String method, String path, String body) throws Exception {
        return send(admin, token, method, path, body);
    }

    private HttpResponse<String> send(AdminServer server, String token, String method, String path, String body)
            throws Exception {
        return http.send(
                HttpRequest.newBuilder(server.uri().resolve(path))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private JsonObject created(String body) throws Exception {
        HttpResponse<String> answer = send(management, "POST", "/v1/tokens", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    @Test
    void tokenDoesWhatItsPoliciesAllowUntilItIsRevoked() throws Exception {
        JsonObject made = created("{\"name\":\"ann\",\"policies\":[\"team-a\"]}");
        String secret = made.get("secret").getAsString();
        String id = made.getAsJsonObject("token").get("token").getAsString();

        assertThat(send(secret, "GET", "/v1/volumes", "").statusCode()).isEqualTo(200);
        assertThat(send(secret, "GET", "/v1/volumes/a-1/none", "").statusCode()).isEqualTo(404);
        HttpResponse<String> other = send(secret, "GET", "/v1/volumes/b/none", "");
        assertThat(other.statusCode()).isEqualTo(403);
        assertThat(other.body()).contains("caller 'ann' needs VOLUME_READ in namespace b");
        assertThat(send(secret, "GET", "/v1/tokens", "").body()).contains("MANAGEMENT");
        assertThat(send(secret, "GET", "/health", "").body())
                .as("problems name objects of all namespaces")
                .isEqualTo("{\"able\":true}\n");
        assertThat(send(management, "GET", "/health", "").body()).contains("\"leading\":true");
        assertThat(send(secret, "GET", "/", "").statusCode())
                .as("the pages show all namespaces")
                .isEqualTo(403);

        HttpResponse<String> listed = send(management, "GET", "/v1/tokens", "");
        assertThat(listed.body())
                .contains("\"name\":\"ann\"", "\"name\":\"first\"")
                .doesNotContain(secret);
        assertThat(send(management, "GET", "/v1/operations", "").body()).doesNotContain(secret);

        assertThat(send(management, "DELETE", "/v1/tokens/" + id, "").statusCode())
                .isEqualTo(200);
        assertThat(send(secret, "GET", "/v1/volumes", "").statusCode()).isEqualTo(401);
        assertThat(send(management, "GET", "/v1/tokens/" + id, "").body())
                .contains("\"status\":404", "no access token has the id " + id + "; csi token list has all");
    }

    @Test
    void problemsOfATokenAreNamedAndNothingIsMade() throws Exception {
        assertThat(send(management, "POST", "/v1/tokens", "{\"name\":\"x\"}").body())
                .contains("\"field\":\"policies\"", "name at least one policy");
        assertThat(send(management, "POST", "/v1/tokens", "{\"name\":\"x\",\"management\":true,\"expiresAt\":\"soon\"}")
                        .body())
                .contains("\"field\":\"expiresAt\"");
        assertThat(send(
                                management,
                                "POST",
                                "/v1/tokens",
                                "{\"name\":\"x\",\"management\":true,\"expiresAt\":\"2001-01-01T00:00:00Z\"}")
                        .body())
                .contains("has passed");
        assertThat(JsonParser.parseString(
                                send(management, "GET", "/v1/tokens", "").body())
                        .getAsJsonObject()
                        .getAsJsonArray("items"))
                .hasSize(1);
    }

    @Test
    void brokenPolicyFileIsShownToTheOperator() throws Exception {
        Files.writeString(directory.resolve("broken.policy"), "namespace a permit all\n");
        policies.reload();
        assertThat(send(management, "GET", "/v1/policies", "").body())
                .contains("\"policies\":[\"team-a\"]", "\"file\":\"broken.policy\"", "\"line\":1");
    }

    @Test
    void tokenThatNoRequestCouldUseIsRefusedBeforeAnythingIsWritten() throws Exception {
        for (AdminServer.Builder useless : List.of(
                AdminServer.builder(lifecycle),
                AdminServer.builder(lifecycle).token(management),
                AdminServer.builder(lifecycle).authenticator(secret -> Optional.of(() -> "someone")))) {
            try (AdminServer other = useless.environment(environment).start()) {
                HttpResponse<String> refused =
                        send(other, management, "POST", "/v1/tokens", "{\"name\":\"night-shift\",\"management\":true}");
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(501);
                assertThat(refused.body())
                        .contains(
                                "urn:csi4j:problem:no-tokens",
                                "this server would refuse it",
                                "Use the token or the socket")
                        .doesNotContain("secret");
                HttpResponse<String> policies = send(other, management, "GET", "/v1/policies", "");
                assertThat(policies.statusCode()).isEqualTo(501);
                assertThat(policies.body()).contains("the program that runs this server has no policies");
            }
        }
        assertThat(store.snapshot().accessTokens()).hasSize(1);
    }

    @Test
    void tokenIsMadeWhereTheHostGivesPoliciesOrAuthenticatorOfTokens() throws Exception {
        for (AdminServer.Builder useful : List.of(
                AdminServer.builder(lifecycle).policies(policies),
                AdminServer.builder(lifecycle).authenticator(TokenAuthenticator.of(store, environment.clock())))) {
            try (AdminServer other = useful.environment(environment).start()) {
                assertThat(send(other, management, "POST", "/v1/tokens", "{\"name\":\"x\",\"management\":true}")
                                .statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void callerWithoutManagementLearnsNothingAboutTokensOfTheServer() throws Exception {
        AdminServer.Builder plain = AdminServer.builder(lifecycle)
                .environment(environment)
                .authenticator(secret -> TokenAuthenticator.of(store, environment.clock())
                        .authenticate(secret)
                        .map(holder -> holder));
        String secret = created("{\"name\":\"ann\",\"policies\":[\"team-a\"]}")
                .get("secret")
                .getAsString();
        try (AdminServer other = plain.start()) {
            assertThat(send(other, secret, "POST", "/v1/tokens", "{\"name\":\"x\",\"management\":true}")
                            .statusCode())
                    .isEqualTo(403);
        }
    }

    @Test
    void secretsOfAnotherShapeAreRefused() throws Exception {
        for (String secret : new String[] {"x", management + "x", management.substring(1), "csi4j_agent_0000"}) {
            assertThat(send(secret, "GET", "/v1/volumes", "").statusCode())
                    .as(secret)
                    .isIn(401, 429);
        }
    }
}

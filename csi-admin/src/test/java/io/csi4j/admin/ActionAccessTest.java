package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.admin.internal.api.ClaimActions;
import io.csi4j.admin.internal.api.ClassEndpoints;
import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.api.NodeActions;
import io.csi4j.admin.internal.api.OwnerActions;
import io.csi4j.admin.internal.api.PluginActions;
import io.csi4j.admin.internal.api.ProfileEndpoints;
import io.csi4j.admin.internal.api.QuotaEndpoints;
import io.csi4j.admin.internal.api.RepairActions;
import io.csi4j.admin.internal.api.ServerActions;
import io.csi4j.admin.internal.api.SnapshotActions;
import io.csi4j.admin.internal.api.VolumeActions;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The permissions of each action, on one engine that leads and one that does not. */
class ActionAccessTest {
    private static final String CAPABILITY = "\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}]";
    private static final String SPEC = "{\"plugin\":\"disk\"," + CAPABILITY + "}";
    private static final String REASON = "{\"reason\":\"r\"}";
    private static final String ORPHAN = "{\"namespace\":\"default\",\"volume\":\"db\"," + CAPABILITY + "}";

    /** The body of a valid request for each action. */
    private static final Map<String, String> BODIES = bodies();

    private static Map<String, String> bodies() {
        Map<String, String> bodies = new LinkedHashMap<>();
        for (String none : List.of(
                "volume deregister",
                "volume delete",
                "volume detach",
                "volume recheck",
                "volume set-reclaim",
                "volume adopt",
                "workload end",
                "volume withdraw-deletion",
                "volume withdraw-expansion",
                "snapshot delete",
                "group-snapshot delete",
                "claim withdraw",
                "claim release",
                "node ready",
                "node disconnected",
                "node down",
                "node fenced",
                "node gone",
                "plugin reconcile",
                "plugin delete",
                "deployment remove",
                "class remove",
                "plugin profile remove",
                "quota remove",
                "log snapshot")) {
            bodies.put(none, "");
        }
        for (String reason : List.of(
                "volume withdraw-creation",
                "volume forget",
                "leftover override",
                "withdrawn-creation forget",
                "claim override",
                "attachment override",
                "node forget-unmount",
                "state restored")) {
            bodies.put(reason, REASON);
        }
        bodies.put("volume create", SPEC);
        bodies.put("class put", SPEC);
        bodies.put("plugin profile put", "{\"workloadInfo\":true}");
        bodies.put("quota put", "{\"volumes\":5}");
        bodies.put("volume register", SPEC);
        bodies.put("volume restore", SPEC.replace("{\"plugin", "{\"snapshotId\":\"s\",\"plugin"));
        bodies.put("volume expand", "{\"requiredBytes\":1}");
        bodies.put("volume modify", "{\"mutableParameters\":{\"a\":\"b\"}}");
        bodies.put("snapshot create", "{\"name\":\"s\"}");
        bodies.put("group-snapshot create", "{\"name\":\"g\",\"volumes\":[\"default/db\"]}");
        bodies.put(
                "claim request",
                "{\"volumes\":[{\"namespace\":\"default\",\"volume\":\"db\",\"mode\":\"WRITE\",\"accessMode\":"
                        + "\"SINGLE_NODE_WRITER\"}]}");
        bodies.put("node override", "{\"reason\":\"r\",\"statement\":\"UNMOUNTED\"}");
        bodies.put("node storage-lost", "{\"reason\":\"r\",\"plugin\":\"disk\",\"segments\":{\"zone\":\"a\"}}");
        bodies.put("plugin wait", "{\"limit\":0.1}");
        bodies.put("plugin set-provider", "{\"reason\":\"r\",\"provider\":\"p\"}");
        bodies.put("orphan adopt", ORPHAN);
        bodies.put("orphan delete", ORPHAN);
        bodies.put("deployment declare", "{\"plugins\":[{\"plugin\":\"disk\"}]}");
        return bodies;
    }

    private static List<Endpoint> actions() {
        return AdminServer.endpoints().stream()
                .filter(endpoint -> endpoint.result() instanceof Endpoint.Action<?>)
                .filter(endpoint -> BODIES.containsKey(endpoint.command()))
                .toList();
    }

    /** Two servers with one state; only the first leads. */
    private static final class Servers implements AutoCloseable {
        private final Environment environment = Environment.system();
        private final StateStore store = StateStore.inMemory();
        private final HttpClient http = HttpClient.newHttpClient();
        /** The permissions that the caller lacks. */
        private volatile Set<Permission> lacking = EnumSet.noneOf(Permission.class);
        /** The permissions that the engine has denied. */
        private final Set<Permission> denied = Collections.synchronizedSet(EnumSet.noneOf(Permission.class));

        private final VolumeLifecycle leader = engine();
        private final VolumeLifecycle follower = engine();
        private final AdminServer first;
        private final AdminServer second;

        private Servers() throws Exception {
            leader.startLeading();
            first = admin(leader, "server-1");
            second = admin(follower, "server-2");
        }

        private VolumeLifecycle engine() {
            return VolumeLifecycle.builder()
                    .log(new LocalCommandLog(store))
                    .gateway(new InstantGateway())
                    .environment(environment)
                    .access((caller, access) -> {
                        if (lacking.contains(access.permission())
                                && !caller.getName().equals("root")) {
                            denied.add(access.permission());
                            return false;
                        }
                        return true;
                    })
                    .build();
        }

        private AdminServer admin(VolumeLifecycle engine, String self) throws Exception {
            return AdminServer.builder(engine)
                    .environment(environment)
                    .log(new NamedLog(new LocalCommandLog(store), self))
                    .authenticator(token -> Optional.<Principal>of(() -> token))
                    .start();
        }

        private HttpResponse<String> send(AdminServer server, String token, String method, String path, String body)
                throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(path))
                    .header("Content-Type", "application/json")
                    .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            if (!token.isEmpty()) {
                request.header("Authorization", "Bearer " + token);
            }
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }

        /** Adds volume default/db and an instance of its plugin, whose gateway deletes nothing. */
        private void addVolume() throws Exception {
            VolumeSpec spec = VolumeSpec.builder(PluginId.of("disk"))
                    .requestedCapabilities(List.of(AdminRig.WRITER))
                    .build();
            leader.log()
                    .submit(new VolumeCommand.RegisterVolume(
                            VolumeKey.of("default", "db"),
                            spec,
                            VolumeOrigin.REGISTERED,
                            ProviderFacts.none(),
                            environment.clock().instant()))
                    .get(20, TimeUnit.SECONDS);
            PluginInstance plugin = PluginInstance.builder(
                            new InstanceKey(
                                    NodeId.of("n1"), PluginId.of("disk"), PluginType.CONTROLLER, Optional.empty()),
                            environment.clock().instant())
                    .provider("disk.csi.example.com")
                    .capabilities(Capabilities.unknown()
                            .withServices(PluginService.CONTROLLER_SERVICE)
                            .withController(ControllerCapability.CREATE_DELETE_VOLUME))
                    .build();
            leader.cluster().nodePlugins(NodeId.of("n1"), List.of(plugin)).get(20, TimeUnit.SECONDS);
        }

        /** Starts an action, and does not wait for it. */
        private HttpResponse<String> start(String token, Endpoint action) throws Exception {
            return send(first, token, action.method(), path(action) + "wait=0", BODIES.get(action.command()));
        }

        private static String path(Endpoint action) {
            String path = action.path()
                    .replace("{namespace}", "default")
                    .replace("{volume}", "db")
                    .replace("{plugin}", "disk")
                    .replace("{reclaim}", "RETAIN")
                    .replace("{incarnation}", "1")
                    .replaceAll("\\{[a-zA-Z]+}", "x");
            return path + (action.command().equals("group-snapshot delete") ? "?member=m&" : "?");
        }

        @Override
        public void close() {
            second.close();
            first.close();
            follower.close();
            leader.close();
            environment.close();
            store.close();
        }
    }

    /** The log of one server of two, of which server-1 leads. */
    private record NamedLog(CommandLog log, String self) implements ReplicatedLog {
        @Override
        public LogStatus status() {
            return new LogStatus(
                    self,
                    self.equals("server-1"),
                    Optional.of("server-1"),
                    Optional.empty(),
                    1,
                    1,
                    1,
                    1,
                    0,
                    List.of("server-1", "server-2"),
                    LogDetails.none());
        }

        @Override
        public ObservableState state() {
            return log.state();
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            return log.submit(command);
        }

        @Override
        public CompletableFuture<StateReader> readLinearizable() {
            return CompletableFuture.completedFuture(state().snapshot());
        }

        @Override
        public Runnable onLeadership(LeadershipListener listener) {
            return () -> {};
        }

        @Override
        public CompletableFuture<Long> takeSnapshot() {
            return CompletableFuture.completedFuture(42L);
        }

        @Override
        public CompletableFuture<LogFailedException> failed() {
            return new CompletableFuture<>();
        }

        @Override
        public void close() {
            // The test closes the state.
        }
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static JsonObject json(HttpResponse<String> response) {
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    @Test
    void eachActionRefusesACallerWithoutAToken() throws Exception {
        try (Servers servers = new Servers()) {
            for (Endpoint action : actions()) {
                assertThat(servers.start("", action).statusCode())
                        .as(action.command())
                        .isEqualTo(401);
            }
        }
    }

    @Test
    void eachActionNamesThePermissionThatTheCallerLacks() throws Exception {
        try (Servers servers = new Servers()) {
            for (Endpoint action : actions()) {
                Set<String> needed = new TreeSet<>();
                // The progress of an operation reads the volume, so VOLUME_READ is no sign of the action.
                for (Permission permission : EnumSet.complementOf(EnumSet.of(Permission.VOLUME_READ))) {
                    servers.lacking = EnumSet.of(permission);
                    servers.denied.clear();
                    HttpResponse<String> begun = servers.start("alice", action);
                    String id = begun.headers().firstValue("csi-operation").orElseThrow();
                    if (servers.denied.contains(permission)) {
                        needed.add(permission.name());
                        JsonObject ended = json(
                                servers.send(servers.first, "alice", "GET", "/v1/operations/" + id + "?wait=20", ""));
                        JsonObject problem = ended.getAsJsonObject("problem");
                        assertThat(problem.get("status").getAsInt())
                                .as("%s: %s", action.command(), ended)
                                .isEqualTo(403);
                        assertThat(problem.get("detail").getAsString())
                                .contains("caller 'alice' needs ", permission.name());
                    } else {
                        servers.send(servers.first, "alice", "POST", "/v1/operations/" + id + "/cancel", "");
                    }
                }
                if (!action.command().equals("claim withdraw")) { // Of an allocation without claims, it needs none.
                    assertThat(needed)
                            .as("%s: %s", action.command(), action.permission())
                            .isNotEmpty();
                }
                needed.forEach(permission ->
                        assertThat(action.permission()).as(action.command()).contains(permission));
            }
        }
    }

    @Test
    void withdrawalNeedsThePermissionToMountWhatTheAllocationHasRequested() throws Exception {
        try (Servers servers = new Servers()) {
            servers.leader.cluster().nodeReady(NodeId.of("n1")).get(20, TimeUnit.SECONDS);
            servers.addVolume();
            servers.leader
                    .cluster()
                    .allocationPlaced(AllocationId.of("x"), Namespace.of("default"), NodeId.of("n1"))
                    .get(20, TimeUnit.SECONDS);
            String claims = "/v1/allocations/x/claims";
            assertThat(servers.send(servers.first, "root", "POST", claims, BODIES.get("claim request"))
                            .statusCode())
                    .isEqualTo(200);
            servers.lacking = EnumSet.of(Permission.VOLUME_MOUNT);
            HttpResponse<String> refused = servers.send(servers.first, "alice", "DELETE", claims + "?wait=20", "");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("needs VOLUME_MOUNT");
        }
    }

    @Test
    void operationOfAnotherCallerIsVisibleWithManagementOnly() throws Exception {
        try (Servers servers = new Servers()) {
            HttpResponse<String> begun = servers.send(servers.first, "alice", "POST", "/v1/nodes/n1/ready?wait=20", "");
            String path = "/v1/operations/"
                    + begun.headers().firstValue("csi-operation").orElseThrow();
            servers.lacking = EnumSet.of(Permission.MANAGEMENT);
            for (String request : List.of("GET ", "GET /events", "POST /cancel")) {
                String[] parts = request.split(" ", 2);
                assertThat(servers.send(servers.first, "bob", parts[0], path + parts[1], "")
                                .statusCode())
                        .as(request)
                        .isEqualTo(404);
                assertThat(servers.send(servers.first, "alice", parts[0], path + parts[1], "")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(servers.send(servers.first, "root", parts[0], path + parts[1], "")
                                .statusCode())
                        .isEqualTo(200);
            }
            assertThat(items(servers, "bob")).isZero();
            assertThat(items(servers, "alice")).isEqualTo(1);
            assertThat(items(servers, "root")).isEqualTo(1);
        }
    }

    private static int items(Servers servers, String caller) throws Exception {
        return json(servers.send(servers.first, caller, "GET", "/v1/operations", ""))
                .getAsJsonArray("items")
                .size();
    }

    @Test
    void serverThatDoesNotLeadNamesTheLeaderOrPassesTheRequestOn() throws Exception {
        try (Servers servers = new Servers()) {
            servers.send(servers.second, "root", "POST", "/v1/nodes/n1/ready?wait=20", "");
            assertThat(servers.store.snapshot().nodes())
                    .as("a report goes to the log")
                    .hasSize(1);
            servers.addVolume();
            String volume = "/v1/volumes/default/db";
            // The intent is stored; the plugins of this gateway delete nothing.
            assertThat(servers.send(servers.second, "root", "DELETE", volume + "?wait=0", "")
                            .statusCode())
                    .isEqualTo(202);
            String status = "/v1/operations?state=RUNNING";
            assertThat(servers.send(servers.second, "root", "GET", status, "").body())
                    .contains("volume delete");
            assertThat(servers.send(servers.first, "root", "GET", status, "").body())
                    .as("operations are at the server that started them")
                    .doesNotContain("volume delete");
            await(() -> servers.store
                            .snapshot()
                            .volume(VolumeKey.of("default", "db"))
                            .orElseThrow()
                            .phase()
                    == VolumePhase.DELETING);
            HttpResponse<String> refused =
                    servers.send(servers.second, "root", "POST", volume + "/withdraw-deletion?wait=20", "");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(json(refused).get("type").getAsString()).isEqualTo("urn:csi4j:problem:not-leading");
            assertThat(json(refused).get("leader").getAsString()).isEqualTo("server-1");
            assertThat(json(refused).get("retryable").getAsBoolean()).isTrue();
            assertThat(refused.headers().firstValue("retry-after")).contains("1");
        }
    }

    @Test
    void snapshotOfTheLogAnswersWithItsServerAndIndex() throws Exception {
        try (Servers servers = new Servers()) {
            assertThat(servers.send(servers.second, "root", "POST", "/v1/log/snapshot?wait=20", "")
                            .body())
                    .contains("{\"server\":\"server-2\",\"index\":42}");
        }
    }

    @Test
    void eachActionHasARequestHere() {
        Set<String> own = Stream.of(
                        VolumeActions.all(),
                        OwnerActions.all(),
                        SnapshotActions.all(),
                        ClaimActions.all(),
                        NodeActions.all(),
                        RepairActions.all(),
                        PluginActions.all(),
                        ServerActions.all(),
                        ClassEndpoints.all(),
                        QuotaEndpoints.all(),
                        ProfileEndpoints.all())
                .flatMap(List::stream)
                .filter(endpoint -> endpoint.result() instanceof Endpoint.Action<?>)
                .map(Endpoint::command)
                .collect(Collectors.toSet());
        assertThat(BODIES.keySet()).isEqualTo(own);
        assertThat(actions()).hasSize(own.size());
    }
}

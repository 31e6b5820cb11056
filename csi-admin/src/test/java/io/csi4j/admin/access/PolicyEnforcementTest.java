package io.csi4j.admin.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.testkit.cluster.FakeCluster;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers with tokens at an engine, whose access control has policies. The engine does not lead, as most servers do not. */
class PolicyEnforcementTest {
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final FakeCluster cluster = FakeCluster.onVirtualTime();

    @TempDir
    Path directory;

    private AccessPolicies policies;
    private VolumeLifecycle lifecycle;

    @BeforeEach
    void startServer() throws IOException {
        cluster.addNode("n1");
        for (VolumeKey key : List.of(VolumeKey.of("team-a", "web"), VolumeKey.of("team-b", "treasure"))) {
            cluster.createVolume(
                    key,
                    VolumeSpec.builder(cluster.plugin())
                            .requestedCapabilities(List.of(WRITER))
                            .build());
        }
        Files.writeString(directory.resolve("team-a.policy"), """
                namespace team-a  allow  all
                cluster           allow  PLUGIN_READ
                """);
        Files.writeString(directory.resolve("no-writes.policy"), "namespace * deny VOLUME_WRITE\n");
        Environment environment = cluster.virtualTime().environment(new Random(3));
        policies = AccessPolicies.open(directory, environment, AccessControl.off());
        NodeGateway none = (NodeGateway) Proxy.newProxyInstance(
                NodeGateway.class.getClassLoader(), new Class<?>[] {NodeGateway.class}, (proxy, method, values) -> {
                    throw new AssertionError(method);
                });
        lifecycle = VolumeLifecycle.builder()
                .log(cluster.lifecycle().log())
                .gateway(none)
                .environment(environment)
                .callbackExecutor(environment.executor())
                .access(policies)
                .build();
    }

    @AfterEach
    void close() {
        policies.close();
        lifecycle.close();
        cluster.close();
    }

    private CallerOperations ann(String... names) {
        String secret = cluster.await(lifecycle.accessTokens().create(AccessTokenRequest.of("ann", List.of(names))))
                .secret()
                .text();
        return TokenAuthenticator.of(lifecycle.log().state(), cluster.virtualTime())
                .authenticate(secret)
                .map(lifecycle::as)
                .orElseThrow();
    }

    private void refused(CompletableFuture<?> operation, Access missing) {
        assertThatThrownBy(() -> cluster.await(operation))
                .satisfiesAnyOf(
                        failure -> assertThat(failure).isInstanceOf(AccessDeniedException.class),
                        failure -> assertThat(failure).hasCauseInstanceOf(AccessDeniedException.class))
                .hasMessageContaining("caller 'ann' needs " + missing)
                .hasMessageNotContaining("treasure");
    }

    @Test
    void refusalNamesTheMissingPermissionAndNothingHidden() {
        CallerOperations ann = ann("team-a", "no-writes");
        Access readB = Access.in(Namespace.of("team-b"), Permission.VOLUME_READ);
        refused(ann.volumes().get(VolumeKey.of("team-b", "treasure")), readB);
        refused(ann.volumes().get(VolumeKey.of("team-b", "nothing")), readB);
        VolumeKey own = VolumeKey.of("team-a", "web");
        refused(
                ann.volumes().expand(own, CapacityRange.atLeast(1)),
                Access.in(Namespace.of("team-a"), Permission.VOLUME_WRITE));
        refused(ann.accessTokens().create(AccessTokenRequest.management("eve")), Access.of(Permission.MANAGEMENT));
        refused(ann.cluster().nodeReady(NodeId.of("n9")), Access.of(Permission.MANAGEMENT));
        assertThat(cluster.await(ann.volumes().get(own))).isPresent();
    }

    @Test
    void listShowsOnlyWhatThePoliciesAllow() {
        assertThat(cluster.await(ann("team-a").volumes().list(VolumeQuery.all()))
                        .items())
                .extracting(summary -> summary.key())
                .containsExactly(VolumeKey.of("team-a", "web"));
    }

    @Test
    void schedulerLearnsAllPermissionsThatAWorkloadLacks() {
        VolumeRequest request = new VolumeRequest("web", false, WRITER, MountOptions.none(), false);
        CallerOperations ann = ann("team-a");
        assertThat(cluster.await(ann.claims().missingAuthority(Namespace.of("team-a"), List.of(request), Set.of())))
                .isEmpty();
        assertThat(cluster.await(ann.claims()
                        .missingAuthority(Namespace.of("team-b"), List.of(request), Set.of(PluginId.of("new-plugin")))))
                .containsExactlyInAnyOrder(
                        Access.in(Namespace.of("team-b"), Permission.VOLUME_MOUNT),
                        Access.of(Permission.PLUGIN_DEPLOY));
    }

    @Test
    void changedPolicyCountsForTheNextOperation() throws IOException {
        CallerOperations ann = ann("team-a");
        VolumeKey own = VolumeKey.of("team-a", "web");
        cluster.await(ann.volumes().get(own));
        Files.writeString(directory.resolve("team-a.policy"), "namespace team-a deny VOLUME_READ\n");
        policies.reload();
        refused(ann.volumes().get(own), Access.in(Namespace.of("team-a"), Permission.VOLUME_READ));
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.PluginHealthEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a host sees without asking volume by volume: waiters, the claims of an allocation, nodes and plugins. */
class ClaimAndClusterReportsTest {
    private static final VolumeKey OTHER = VolumeKey.of("secret", "other");

    private final List<String> heard = new ArrayList<>();

    private final EventListener listener = new EventListener() {
        @Override
        public void claimChanged(ClaimEvent event) {
            if (event.change() == ClaimEvent.Change.GRANTED) {
                heard.add(event.allocationId() + " GRANTED " + event.volume());
            }
        }

        @Override
        public void claimWaiting(ClaimWaitingEvent event) {
            heard.add(event.allocationId() + " waits for " + event.volume() + " "
                    + event.reason().map(WaitReason::name).orElse("")
                    + event.behind().map(first -> " behind " + first).orElse(""));
        }

        @Override
        public void nodeChanged(NodeEvent event) {
            heard.add(event.nodeId() + " " + event.status());
        }

        @Override
        public void pluginHealthChanged(PluginHealthEvent event) {
            heard.add(event.pluginId() + " " + event.healthyControllers() + "/" + event.healthyNodes());
        }
    };

    /** A volume of another namespace, which the allocations of the test may use. */
    private static LifecycleRig shared(LifecycleRig rig) {
        rig.done(rig.host
                .volumes()
                .register(
                        OTHER,
                        LifecycleRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("ext-" + OTHER))
                                .sharedWith(List.of(Namespace.of("default")))
                                .build()));
        return rig;
    }

    private VolumeLifecycle listening(LifecycleRig rig) {
        VolumeLifecycle host = VolumeLifecycle.builder()
                .log(rig.log)
                .gateway(rig.gateway)
                .environment(rig.clock.environment(new Random(7)))
                .callbackExecutor(rig.clock)
                .listener(listener)
                .build();
        host.startLeading();
        rig.done(host.volumes()
                .register(
                        LifecycleRig.VOL,
                        LifecycleRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("ext"))
                                .build()));
        return host;
    }

    private static void claim(
            LifecycleRig rig, CallerOperations host, String allocation, String node, VolumeKey... volumes) {
        rig.allocation(allocation, node);
        var unused = host.claims()
                .claim(
                        AllocationId.of(allocation),
                        List.of(volumes).stream()
                                .map(key -> LifecycleRig.write(key, LifecycleRig.SINGLE))
                                .toList());
        rig.run();
    }

    @Test
    void oneEventIsReportedWhenClaimBeginsToWaitAndOneWhenClaimIsGranted() {
        LifecycleRig rig = LifecycleRig.following();
        VolumeLifecycle host = listening(rig);
        claim(rig, host, "a", "n1", LifecycleRig.VOL);
        claim(rig, host, "b", "n2", LifecycleRig.VOL);
        claim(rig, host, "c", "n2", LifecycleRig.VOL);
        rig.clock.advance(Duration.ofMinutes(5));
        String key = LifecycleRig.VOL.toString();
        assertThat(heard)
                .containsExactly(
                        "a GRANTED " + key,
                        "b waits for " + key + " CLAIMED_ON_OTHER_NODE",
                        "c waits for " + key + " CLAIMED_ON_OTHER_NODE behind b");
        heard.clear();
        rig.done(host.claims().release(LifecycleRig.VOL, AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(heard).contains("b GRANTED " + key).doesNotContain("c GRANTED " + key);
    }

    @Test
    void reasonIsReportedForClaimThatCameWhileTheFirstWasDecided() {
        LifecycleRig rig = LifecycleRig.following();
        VolumeLifecycle host = listening(rig);
        claim(rig, host, "a", "n1", LifecycleRig.VOL);
        List.of("b", "c").forEach(allocation -> rig.allocation(allocation, "n2"));
        List.of("b", "c").forEach(allocation -> {
            var unused = host.claims()
                    .claim(
                            AllocationId.of(allocation),
                            List.of(LifecycleRig.write(LifecycleRig.VOL, LifecycleRig.SINGLE)));
        });
        rig.run();
        String key = LifecycleRig.VOL.toString();
        assertThat(heard)
                .endsWith(
                        "b waits for " + key + " CLAIMED_ON_OTHER_NODE",
                        "c waits for " + key + " CLAIMED_ON_OTHER_NODE behind b");
    }

    @Test
    void oneEventIsReportedForEachChangeOfNodeStatusAndOfPluginHealth() {
        LifecycleRig rig = LifecycleRig.following();
        VolumeLifecycle host = listening(rig);
        NodeId node = NodeId.of("n1");
        Command down = new NodeCommand.SetNodeStatus(node, NodeStatus.DOWN, "", rig.clock.instant());
        rig.done(host.log().submit(down));
        rig.done(host.log().submit(down));
        rig.done(host.log().submit(new NodeCommand.SetNodeStatus(node, NodeStatus.READY, "", rig.clock.instant())));
        assertThat(heard).containsExactly("n1 DOWN", "n1 READY");
        heard.clear();

        Command sick = new PluginCommand.FingerprintNode(
                node, List.of(rig.instance("n1").health(false, "").build()), rig.clock.instant());
        rig.done(host.log().submit(new Batch(List.of(sick), rig.clock.instant())));
        rig.done(host.log().submit(sick));
        rig.done(host.log()
                .submit(new PluginCommand.FingerprintNode(
                        node, List.of(rig.instance("n1").build()), rig.clock.instant())));
        assertThat(heard).containsExactly("p 1/1", "p 2/2");
    }

    @Test
    void allocationStatusListsItsHeldAndWaitingClaims() {
        LifecycleRig rig = shared(LifecycleRig.leading().volume(LifecycleRig.VOL));
        claim(rig, rig.host, "a", "n1", LifecycleRig.VOL, OTHER);
        rig.clock.advance(Duration.ofMinutes(1));
        claim(rig, rig.host, "b", "n2", OTHER);
        claim(rig, rig.host, "c", "n2", LifecycleRig.VOL);

        List<WaitingClaim> waiting =
                rig.done(rig.host.claims().waiting(WaitingQuery.all())).items();
        assertThat(waiting).extracting(claim -> claim.allocationId().value()).containsExactly("b", "c");
        assertThat(waiting.get(0).volume()).contains(OTHER);
        assertThat(waiting.get(0).reason().orElseThrow().holders())
                .extracting(holder -> holder.allocationId().value())
                .containsExactly("a");

        AllocationClaims holder = rig.done(rig.host.claims().status(AllocationId.of("a")));
        assertThat(holder.held())
                .extracting(AllocationClaims.Held::volume)
                .containsExactlyInAnyOrder(LifecycleRig.VOL, OTHER);
        assertThat(holder.held()).allMatch(AllocationClaims.Held::published);
        assertThat(holder.waiting()).isEmpty();
        AllocationClaims waiter = rig.done(rig.host.claims().status(AllocationId.of("b")));
        assertThat(waiter.held()).isEmpty();
        assertThat(waiter.waiting()).containsExactly(waiting.get(0));
        assertThat(rig.done(rig.host.claims().status(AllocationId.of("nobody"))).held())
                .isEmpty();
    }

    @Test
    void waitingClaimsOfAllVolumesAreListedOldestFirst() {
        LifecycleRig rig = shared(LifecycleRig.leading().volume(LifecycleRig.VOL));
        claim(rig, rig.host, "holder", "n1", LifecycleRig.VOL, OTHER);
        List<String> order = List.of("d", "a", "c", "b");
        for (int i = 0; i < order.size(); i++) {
            rig.clock.advance(Duration.ofSeconds(1));
            claim(rig, rig.host, order.get(i), "n2", i % 2 == 0 ? OTHER : LifecycleRig.VOL);
        }
        assertThat(rig.done(rig.host.claims().waiting(WaitingQuery.all())).items())
                .extracting(claim -> claim.allocationId().value())
                .containsExactlyElementsOf(order);
    }

    @Test
    void listsContainOnlyVolumesReadableByCaller() {
        LifecycleRig rig = LifecycleRig.guarded();
        CallerOperations engine = rig.as(Caller.ENGINE.principal().getName());
        for (VolumeKey key : List.of(LifecycleRig.VOL, OTHER)) {
            rig.done(engine.volumes()
                    .register(
                            key,
                            LifecycleRig.spec()
                                    .externalVolumeId(ExternalVolumeId.of("ext-" + key))
                                    .sharedWith(List.of(Namespace.of("default")))
                                    .build()));
        }
        claim(rig, engine, "a", "n1", LifecycleRig.VOL, OTHER);
        claim(rig, engine, "b", "n2", OTHER);
        claim(rig, engine, "c", "n2", OTHER, LifecycleRig.VOL);
        rig.grant("default", Permission.VOLUME_READ);

        CallerOperations eve = rig.as("eve");
        List<WaitingClaim> waiting =
                rig.done(eve.claims().waiting(WaitingQuery.all())).items();
        assertThat(waiting).extracting(claim -> claim.allocationId().value()).containsExactly("c");
        assertThat(waiting.get(0).requests())
                .extracting(request -> request.volume())
                .containsExactly(LifecycleRig.VOL);
        assertThat(waiting.toString()).doesNotContain("secret");
        assertThat(rig.done(eve.claims().status(AllocationId.of("a"))).held())
                .extracting(AllocationClaims.Held::volume)
                .containsExactly(LifecycleRig.VOL);
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.VolumeEvent;
import io.csi4j.core.volume.Leftover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a listener hears of a volume, from its registration to the end of its last claim. */
class ClaimLifeEventsTest {
    private static final AllocationId ALLOCATION = AllocationId.of("a");

    private final LifecycleRig rig = LifecycleRig.following();
    private final List<String> heard = new ArrayList<>();
    private final VolumeLifecycle host = VolumeLifecycle.builder()
            .log(rig.log)
            .gateway(rig.gateway)
            .environment(rig.clock.environment(new Random(7)))
            .callbackExecutor(rig.clock)
            .listener(new EventListener() {
                @Override
                public void volumeChanged(VolumeEvent event) {
                    heard.add("volume " + event.change());
                }

                @Override
                public void claimChanged(ClaimEvent event) {
                    heard.add(event.allocationId() + " " + event.change());
                }

                @Override
                public void attachmentChanged(AttachmentEvent event) {
                    heard.add(event.nodeId() + " " + event.change());
                }
            })
            .build();

    ClaimLifeEventsTest() {
        host.startLeading();
        rig.done(host.volumes()
                .register(
                        LifecycleRig.VOL,
                        LifecycleRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("ext"))
                                .build()));
    }

    private void submit(Command command) {
        assertThat(rig.done(host.log().submit(command)).accepted()).isTrue();
    }

    private void allocation(AllocationStatus status) {
        submit(new AllocationCommand.UpsertAllocation(
                ALLOCATION, Namespace.of("default"), NodeId.of("n1"), Optional.empty(), status, rig.clock.instant()));
    }

    private void claim() {
        allocation(AllocationStatus.RUNNING);
        rig.done(host.claims().claim(ALLOCATION, List.of(LifecycleRig.write(LifecycleRig.VOL, LifecycleRig.SHARED))));
    }

    @Test
    void releaseAfterAllocationEndReportsAllEvents() {
        claim();
        assertThat(heard).containsExactly("volume REGISTERED", "a TAKEN", "n1 PUBLISHING", "n1 PUBLISHED", "a GRANTED");
        heard.clear();
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.UNAVAILABLE);
        allocation(AllocationStatus.ENDED);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(heard)
                .containsExactly(
                        "a UNPUBLISHING",
                        "a STEP_FAILED",
                        "a NODE_DETACHED",
                        "n1 UNPUBLISHING",
                        "n1 REMOVED",
                        "a READY_TO_FREE",
                        "a FREED");
    }

    @Test
    void releaseAfterNodeLossReportsAllEvents() {
        claim();
        heard.clear();
        submit(new NodeCommand.FenceNode(NodeId.of("n1"), "power is off", rig.clock.instant()));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(heard).contains("a UNPUBLISHING", "a NODE_DETACHED", "n1 UNPUBLISHING", "n1 REMOVED", "a FREED");
    }

    @Test
    void eventsAreReportedWhenOperatorOverridesClaim() {
        claim();
        heard.clear();
        rig.done(host.operator().overrideClaim(LifecycleRig.VOL, ALLOCATION, "its disk is pulled"));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(heard).startsWith("a UNPUBLISHING", "a OVERRIDDEN").endsWith("a FREED");
    }

    @Test
    void eventsAreReportedWhenOperatorForgetsVolumeAndOverridesItsLeftover() {
        claim();
        rig.gateway.hang(Rpc.NODE_UNPUBLISH_VOLUME);
        allocation(AllocationStatus.ENDED);
        rig.clock.run();
        heard.clear();
        rig.done(host.operator().forgetVolume(LifecycleRig.VOL, "the array is gone"));
        Leftover leftover = rig.done(host.operator().leftovers()).get(0);
        rig.done(host.operator().overrideLeftover(leftover.key(), "so is the node"));
        assertThat(heard).containsExactly("volume REMOVED", "volume FORGOTTEN", "volume LEFTOVER_OVERRIDDEN");
    }
}

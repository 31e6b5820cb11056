package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.RepairStoppedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Plugins whose lists never end, or never change: everything that pages or polls ends. */
class EndlessListsTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private int page;

    private static LifecycleRig rig() {
        return LifecycleRig.leading(
                LifecycleOptions.builder().operationTimeout(TIMEOUT).build());
    }

    private static ListVolumesResponse.Entry entry(String id, String... nodes) {
        return new ListVolumesResponse.Entry(
                ExternalVolume.builder(ExternalVolumeId.of(id)).build(),
                Optional.of(new ExternalVolumeStatus(
                        Arrays.stream(nodes).map(ExternalNodeId::of).toList(), Optional.empty())));
    }

    /** Lets the plugin answer each ListVolumes, each after the given time. */
    private void listing(LifecycleRig rig, Duration delay, Function<ListVolumesRequest, ListVolumesResponse> pages) {
        rig.gateway.script = call -> {
            if (call.rpc() != Rpc.LIST_VOLUMES) {
                call.succeed();
                return true;
            }
            page++;
            ListVolumesResponse answer = pages.apply((ListVolumesRequest) call.request());
            var unused = rig.clock.schedule(delay, () -> call.answer.complete(answer));
            return true;
        };
    }

    private static int lists(LifecycleRig rig) {
        return rig.gateway.requests(Rpc.LIST_VOLUMES).size();
    }

    @Test
    void comparisonWithPluginThatRepeatsItsTokenFailsAtOnce() {
        LifecycleRig rig = rig();
        listing(rig, Duration.ZERO, request -> new ListVolumesResponse(List.of(entry("v" + page)), "again"));
        assertThat(rig.failedLater(rig.host.operator().reconcile(PLUGIN, true), WrongAnswerException.class))
                .hasMessageContainingAll(PLUGIN.value(), "would never end", "nothing continues", "vendor");
        assertThat(lists(rig)).isEqualTo(2);
    }

    @Test
    void searchInListWhoseTokensGoInCirclesEndsForLackOfProgress() {
        LifecycleRig rig = rig();
        listing(
                rig,
                Duration.ofMillis(1),
                request -> new ListVolumesResponse(List.of(entry("v" + page % 3)), "token-" + page % 3));
        assertThat(rig.failedLater(rig.host.operator().orphanedVolumes(PLUGIN), WrongAnswerException.class))
                .hasMessageContainingAll("50 pages in a row had no new volume", "3 volumes were read");
        assertThat(lists(rig)).isEqualTo(53);
    }

    @Test
    void listWithEverNewTokensAndVolumesEndsAfterOperationTimeout() {
        LifecycleRig rig = rig();
        listing(
                rig,
                Duration.ofSeconds(1),
                request -> new ListVolumesResponse(List.of(entry("v" + page)), "token-" + page));
        CompletableFuture<OrphanedVolumes> search = rig.host.operator().orphanedVolumes(PLUGIN);
        rig.clock.advance(TIMEOUT);
        assertThat(rig.failed(search, UnfinishedException.class)).hasMessageContainingAll("1 min", "nothing continues");
        int asked = lists(rig);
        assertThat(asked).isBetween(58, 61);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(lists(rig)).as("pages after the end").isLessThanOrEqualTo(asked + 1);
    }

    @Test
    void listThatReturnsNewPagesWithoutDelayEndsAfterMaximumOfPages() {
        LifecycleRig rig = rig();
        listing(rig, Duration.ZERO, request -> new ListVolumesResponse(List.of(entry("v" + page)), "token-" + page));
        assertThat(rig.failedLater(rig.host.operator().orphanedVolumes(PLUGIN), WrongAnswerException.class))
                .hasMessageContaining("more than 20000 pages");
        assertThat(lists(rig)).isEqualTo(20_000);
    }

    @Test
    void listOfLongIdsEndsAtLimitOfTextThatIsHeld() {
        LifecycleRig rig = rig();
        String tail = "x".repeat(1 << 20);
        listing(
                rig,
                Duration.ZERO,
                request -> new ListVolumesResponse(List.of(entry("v" + page + tail)), "token-" + page));
        assertThat(rig.failedLater(rig.host.operator().orphanedVolumes(PLUGIN), WrongAnswerException.class))
                .hasMessageContaining("bytes, and at most 67108864 are accepted")
                .hasMessageContaining("vendor");
        assertThat(lists(rig)).isLessThan(70);
    }

    @Test
    void cancelledComparisonRequestsNoFurtherPage() {
        LifecycleRig rig = rig();
        listing(
                rig,
                Duration.ofSeconds(1),
                request -> new ListVolumesResponse(List.of(entry("v" + page)), "token-" + page));
        CompletableFuture<List<Drift>> comparison = rig.host.operator().reconcile(PLUGIN, true);
        rig.clock.advance(Duration.ofSeconds(5));
        comparison.cancel(true);
        int asked = lists(rig);
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(lists(rig)).isEqualTo(asked);
    }

    @Test
    void periodicComparisonStopsItsListingWhenItsServerNoLongerLeads() {
        LifecycleRig rig = LifecycleRig.leading(LifecycleOptions.builder()
                .reconciliation(Duration.ofMinutes(1), true)
                .build());
        listing(
                rig,
                Duration.ofSeconds(1),
                request -> new ListVolumesResponse(List.of(entry("v" + page)), "token-" + page));
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(lists(rig)).isGreaterThan(30);
        rig.host.stopLeading();
        int asked = lists(rig);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(lists(rig)).isLessThanOrEqualTo(asked + 1);
    }

    @Test
    void pageWhoseNextTokenIsItsOwnIsRefusedForAllLists() {
        LifecycleRig rig = rig();
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(List.of(), "again"));
        assertThat(rig.failed(rig.host.volumes().listExternal(PLUGIN, 10, "again"), WrongAnswerException.class))
                .hasMessageContaining("would never end");
        rig.gateway.answer(Rpc.LIST_SNAPSHOTS, request -> new ListSnapshotsResponse(List.of(), "again"));
        assertThat(rig.failed(
                        rig.host.snapshots().list(PLUGIN, Optional.empty(), 10, "again"), WrongAnswerException.class))
                .hasMessageContaining("would never end");
        rig.gateway.answer(
                Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                request -> new ControllerListVolumeHealthResponse(List.of(), "again"));
        assertThat(rig.failed(rig.host.volumes().listAbnormal(PLUGIN, 10, "again"), WrongAnswerException.class))
                .hasMessageContaining("would never end");
        rig.gateway.answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(List.of(), "next"));
        assertThat(rig.done(rig.host.volumes().listExternal(PLUGIN, 10, "first"))
                        .nextToken())
                .isEqualTo("next");
    }

    // ---- repairs that change nothing

    private final List<RepairStoppedEvent> stopped = new ArrayList<>();

    /** Returns a rig whose leader compares and repairs every minute, with a volume that is attached to node n1. */
    private LifecycleRig repairing() {
        LifecycleRig rig = LifecycleRig.following();
        VolumeLifecycle host = VolumeLifecycle.builder()
                .log(rig.log)
                .gateway(rig.gateway)
                .environment(rig.clock.environment(new java.util.Random(7)))
                .callbackExecutor(rig.clock)
                .options(LifecycleOptions.builder()
                        .reconciliation(Duration.ofMinutes(1), true)
                        .build())
                .listener(new EventListener() {
                    @Override
                    public void repairStopped(RepairStoppedEvent event) {
                        stopped.add(event);
                    }
                })
                .build();
        host.startLeading();
        rig.volume(VOL);
        rig.allocation("a", "n1");
        var grant = host.claims().claim(AllocationId.of("a"), List.of(LifecycleRig.write(VOL, SINGLE)));
        rig.done(grant);
        rig.gateway.calls().clear();
        operator = host;
        return rig;
    }

    private VolumeLifecycle operator;

    private static int publishes(LifecycleRig rig) {
        return rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME).size();
    }

    @Test
    void periodicRepairThatChangesNothingStopsWithEvent() {
        LifecycleRig rig = repairing();
        String[] listed = {"zone-a/ext-n1"};
        listing(rig, Duration.ZERO, request -> new ListVolumesResponse(List.of(entry("ext-" + VOL, listed)), ""));
        rig.clock.advance(Duration.ofHours(1));
        assertThat(lists(rig)).as("the comparison continues").isGreaterThan(50);
        assertThat(publishes(rig)).isEqualTo(3);
        assertThat(stopped).singleElement().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(DriftEvent.Kind.WANTED_BUT_NOT_ATTACHED);
            assertThat(event.volume()).isEqualTo(VOL);
            assertThat(event.repairs()).isEqualTo(3);
        });
        // An operator can repair it once more.
        var repaired = operator.operator().reconcile(PLUGIN, true);
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(repaired).isCompleted();
        assertThat(publishes(rig)).isEqualTo(4);
        // The list agrees once, and the attachment is then lost again.
        listed[0] = "ext-n1";
        rig.clock.advance(Duration.ofMinutes(2));
        listed[0] = "zone-a/ext-n1";
        rig.clock.advance(Duration.ofHours(1));
        assertThat(publishes(rig)).isEqualTo(7);
        assertThat(stopped).hasSize(2);
    }

    @Test
    void periodicDetachmentOfAttachmentThatStaysListedStopsWithEvent() {
        LifecycleRig rig = repairing();
        listing(
                rig,
                Duration.ZERO,
                request -> new ListVolumesResponse(List.of(entry("ext-" + VOL, "ext-n1", "ext-n2")), ""));
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(3);
        assertThat(stopped)
                .singleElement()
                .satisfies(event -> assertThat(event.kind()).isEqualTo(DriftEvent.Kind.ATTACHED_BUT_NOT_WANTED));
    }
}

package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.lifecycle.internal.reconcile.CapacityQueries;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.volume.VolumeClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** When a plugin is asked for the free capacity, about which place first, and when not any more. */
class CapacityQuestionsTest extends CapacityRig {
    @Test
    void endOfTheTermLeavesNoTimerAndNoInterest() {
        nodes(70);
        waitFor(INTERVAL);
        VolumeClass fast = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        assertThat(rig.done(leader.cluster().storageCapacity()).at(fast, Optional.of(zone("own-50"))))
                .isEmpty();
        waitFor(Duration.ofSeconds(5));
        assertThat(known(FAST)).hasSize(1);
        leader.stopLeading();
        rig.run();
        assertThat(rig.clock.timers()).isZero();
        leader.startLeading();
        waitFor(Duration.ofSeconds(5));
        assertThat(known(FAST)).isEmpty();
    }

    @Test
    void newTermAsksAlthoughAQuestionOfTheFormerOneIsOpen() {
        rig.gateway.leaveOpen();
        waitFor(Duration.ofSeconds(1));
        assertThat(asked()).hasSize(1);
        leader.stopLeading();
        rig.run();
        rig.gateway.answer();
        leader.startLeading();
        waitFor(Duration.ofSeconds(10));
        assertThat(known("zone-a").availableBytes()).isPresent();
        assertThat(known("zone-b").availableBytes()).isPresent();
    }

    @Test
    void onlyCallsThatChangeTheCapacityAreFollowedByAQuestion() {
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        waitFor(Duration.ofSeconds(20));
        long before = asked("zone-a");
        rig.done(leader.volumes().modify(DATA, Map.of("tier", "gold")));
        waitFor(Duration.ofSeconds(20));
        assertThat(asked("zone-a")).as("after a modification").isEqualTo(before);
        ended("x", "a");
        rig.done(leader.volumes().expand(DATA, CapacityRange.atLeast(1000)));
        waitFor(Duration.ofSeconds(1));
        assertThat(asked("zone-a")).as("after an expansion").isEqualTo(before + 1);
        assertThat(asked("zone-b")).as("nothing has changed there").isEqualTo(1);
    }

    @Test
    void volumeThatIsAccessibleInSeveralPlacesChangesAllOfThem() {
        waitFor(Duration.ofSeconds(20));
        assertThat(asked("zone-b")).isEqualTo(1);
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(ExternalVolume.builder(ExternalVolumeId.of("both"))
                        .capacityBytes(300)
                        .accessibleTopology(List.of(zone("zone-a"), zone("zone-b")))
                        .build()));
        assertThat(claim("x", "a", ownRequest("x"))).isCompleted();
        waitFor(Duration.ofSeconds(2));
        long inB = asked("zone-b");
        ended("x", "a");
        waitFor(Duration.ofSeconds(6));
        assertThat(asked("zone-b")).as("after its deletion").isEqualTo(inB + 1);
    }

    @Test
    void refusedCreationIsFollowedByAQuestion() {
        waitFor(Duration.ofSeconds(20));
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        var unused = claim("x", "a", request(DATA));
        assertThat(known("zone-a").refusedBytes()).hasValue(300);
        waitFor(Duration.ofSeconds(1));
        assertThat(asked("zone-a")).isEqualTo(2);
        assertThat(asked("zone-b")).isEqualTo(1);
    }

    @Test
    void newClassIsReadASecondAfterTheLastReading() {
        waitFor(Duration.ofSeconds(10));
        put(row("other"));
        waitFor(Duration.ofMillis(600));
        put(row("new"));
        waitFor(Duration.ofMillis(390));
        assertThat(known(VolumeClassName.of("new"))).isEmpty();
        waitFor(Duration.ofMillis(20));
        assertThat(known(VolumeClassName.of("new"))).hasSize(2);
    }

    @Test
    void frequentChangesLeaveNoMoreTimers() {
        waitFor(Duration.ofSeconds(20));
        int timers = rig.clock.timers();
        for (int i = 0; i < 20; i++) {
            put(row("fast").parameters(Map.of("pool", "p" + i)));
            waitFor(Duration.ofSeconds(3));
        }
        waitFor(Duration.ofSeconds(20));
        assertThat(rig.clock.timers()).isEqualTo(timers);
    }

    @Test
    void classIsAskedForOnlyWhereItsVolumesMayBe() {
        put(row("fast").allowedTopologies(List.of(zone("zone-b"))));
        rig.gateway.calls().clear();
        waitFor(INTERVAL);
        assertThat(asked("zone-b")).isPositive();
        assertThat(asked("zone-a")).isZero();
        assertThat(known(FAST)).hasSize(1);
    }

    @Test
    void allOfAFewPlacesAreAskedFor() {
        nodes(62);
        waitFor(INTERVAL.dividedBy(2));
        assertThat(known(FAST)).hasSize(64);
        node("one-more", "zone-more");
        waitFor(INTERVAL.dividedBy(2));
        assertThat(known(FAST)).isEmpty();
    }

    @Test
    void interestLastsForFiveIntervals() {
        nodes(70);
        waitFor(INTERVAL);
        VolumeClass fast = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        var unused = rig.done(leader.cluster().storageCapacity()).at(fast, Optional.of(zone("own-50")));
        waitFor(INTERVAL.multipliedBy(5).minusMillis(1));
        assertThat(known(FAST)).hasSize(1);
        waitFor(INTERVAL.dividedBy(2));
        assertThat(known(FAST)).isEmpty();
    }

    @Test
    void pluginThatLosesItsCapabilityIsAskedAgainWhenItHasIt() {
        waitFor(Duration.ofSeconds(20));
        rig.controller.remove(ControllerCapability.GET_CAPACITY);
        node("a", "zone-a");
        node("b", "zone-b");
        waitFor(INTERVAL);
        int before = asked().size();
        VolumeClass fast = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        for (int i = 0; i < 10; i++) {
            var unused = rig.done(leader.cluster().storageCapacity()).at(fast, Optional.of(zone("zone-a")));
            waitFor(INTERVAL.dividedBy(5));
        }
        assertThat(asked()).hasSize(before);
        rig.controller.add(ControllerCapability.GET_CAPACITY);
        node("a", "zone-a");
        node("b", "zone-b");
        waitFor(INTERVAL.dividedBy(2));
        assertThat(asked()).hasSize(before + 2);
    }

    private String poolAndZone(GetCapacityRequest request) {
        return request.parameters().get("pool") + "@"
                + request.accessibleTopology().orElseThrow().segments().get("zone");
    }

    /** The answer to one question comes late, so that many others are due when it comes. */
    @Test
    void changedPlacesOfInterestAreAskedFirstThenThoseOfInterestThenTheOldest() {
        for (int i = 0; i < 5; i++) {
            put(row("class-" + i).parameters(Map.of("pool", "p" + i)));
        }
        put(row("fast").parameters(Map.of("pool", "p5")).defaultCapacity(CapacityRange.atLeast(300)));
        waitFor(Duration.ofSeconds(20));
        List<String> first = asked().stream().map(this::poolAndZone).distinct().toList();
        assertThat(first).hasSize(12);
        List<HandCall> open = new ArrayList<>();
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.GET_CAPACITY) {
                open.add(call);
                return false;
            }
            call.succeed();
            return true;
        };
        waitFor(INTERVAL.multipliedBy(2));
        HandCall late = open.remove(0);
        String begun = poolAndZone((GetCapacityRequest) late.request());
        assertThat(claim("x", "b", request(DATA))).isCompleted();
        VolumeClass fast = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        assertThat(rig.done(leader.cluster().storageCapacity()).at(fast, Optional.of(zone("zone-b"))))
                .isPresent();
        VolumeClass three =
                rig.log.snapshot().volumeClass(VolumeClassName.of("class-3")).orElseThrow();
        assertThat(rig.done(leader.cluster().storageCapacity()).at(three, Optional.of(zone("zone-b"))))
                .isPresent();
        rig.gateway.calls().clear();
        rig.gateway.answer();
        late.succeed();
        waitFor(Duration.ofSeconds(13));
        List<String> next = asked().stream().map(this::poolAndZone).limit(6).toList();
        assertThat(next.get(0)).isEqualTo("p5@zone-b");
        assertThat(next.get(1)).isEqualTo("p3@zone-b");
        List<String> oldest = new ArrayList<>(first);
        oldest.removeAll(List.of("p5@zone-b", "p3@zone-b", begun));
        assertThat(next.subList(2, 6)).isEqualTo(oldest.subList(0, 4));
    }

    @Test
    void newPlaceOfTheLatestInterestIsAskedFirst() {
        nodes(70);
        waitFor(INTERVAL.multipliedBy(2));
        rig.gateway.calls().clear();
        VolumeClass fast = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        for (String zone : List.of("own-1", "own-2", "own-3")) {
            assertThat(rig.done(leader.cluster().storageCapacity()).at(fast, Optional.of(zone(zone))))
                    .isEmpty();
            waitFor(Duration.ofMillis(10));
        }
        waitFor(Duration.ofSeconds(10));
        assertThat(asked())
                .extracting(request ->
                        request.accessibleTopology().orElseThrow().segments().get("zone"))
                .containsExactly("own-1", "own-3", "own-2");
    }

    @Test
    void sizesOfZeroAreTaken() {
        rig.provider.capacity = request -> new GetCapacityResponse(0, Optional.of(0L), Optional.of(0L));
        waitFor(Duration.ofSeconds(10));
        assertThat(known("zone-a").availableBytes()).hasValue(0);
        assertThat(known("zone-a").failure()).isEmpty();
    }

    @Test
    void failureIsOneLineOfTheLogUntilItIsOver() {
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger(CapacityQueries.class.getName());
        logger.setFilter(line -> {
            lines.add(line.getMessage());
            return false;
        });
        try {
            rig.gateway.failAll(StatusCode.INTERNAL);
            waitFor(INTERVAL.multipliedBy(3));
            assertThat(lines)
                    .hasSize(2)
                    .allMatch(line ->
                            line.startsWith("Plugin p does not say how much capacity is free for class fast in "))
                    .anyMatch(line -> line.contains("zone-a"))
                    .anyMatch(line -> line.contains("zone-b"));
            rig.gateway.answer();
            waitFor(INTERVAL.multipliedBy(2));
            rig.gateway.failAll(StatusCode.INTERNAL);
            waitFor(INTERVAL);
            assertThat(lines).hasSize(4);
        } finally {
            logger.setFilter(null);
        }
    }
}

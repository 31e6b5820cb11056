package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.lifecycle.internal.reconcile.CapacityQueries;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The questions of the leader for the free capacity of classes in topologies. */
class CapacityQueriesTest extends CapacityRig {
    @Test
    void leaderAsksForEachTopologyOnceInAnIntervalWithTheFieldsOfTheClass() {
        put(row("fast").parameters(Map.of("pool", "ssd")));
        free(700);
        waitFor(Duration.ofSeconds(30));
        assertThat(asked()).hasSize(2);
        assertThat(asked("zone-a")).isEqualTo(1);
        assertThat(asked("zone-b")).isEqualTo(1);
        assertThat(asked()).allSatisfy(request -> {
            assertThat(request.parameters()).containsExactly(Map.entry("pool", "ssd"));
            assertThat(request.volumeCapabilities())
                    .extracting(VolumeCapability::accessMode)
                    .containsExactly(MOUNT.accessMode());
        });
        assertThat(known("zone-a").availableBytes()).hasValue(700);
        assertThat(known("zone-a").recent()).isTrue();
        waitFor(INTERVAL.multipliedBy(10));
        assertThat(asked("zone-a")).isBetween(10L, 11L);
    }

    @Test
    void classThatIsOffOrInlineAndPluginWithoutTheCapabilityAreNotAsked() {
        put(row("fast").capacityCheck(CapacityCheck.OFF));
        put(row("inline").kind(VolumeKind.INLINE).ephemeral(true));
        waitFor(INTERVAL.multipliedBy(3));
        assertThat(asked()).isEmpty();
        put(row("fast"));
        rig.controller.remove(ControllerCapability.GET_CAPACITY);
        node("a", "zone-a");
        node("b", "zone-b");
        waitFor(INTERVAL.multipliedBy(3));
        assertThat(asked()).isEmpty();
        assertThat(known(FAST)).as("nothing is known or fails").isEmpty();
        rig.controller.add(ControllerCapability.GET_CAPACITY);
        rig.services.remove(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS);
        node("a", "zone-a");
        waitFor(INTERVAL.dividedBy(2));
        assertThat(asked()).extracting(GetCapacityRequest::accessibleTopology).containsExactly(Optional.empty());
    }

    @Test
    void questionsOfOnePluginAreSpacedAndOneAtATime() {
        for (int i = 0; i < 20; i++) {
            put(row("class-" + i));
        }
        rig.gateway.leaveOpen();
        waitFor(Duration.ofSeconds(30));
        assertThat(asked()).as("one is in flight").hasSize(1);
        rig.gateway.answer();
        rig.gateway.open.get(0).succeed();
        rig.run();
        waitFor(Duration.ofSeconds(10));
        assertThat(asked().size()).isBetween(10, 12);
        waitFor(INTERVAL);
        assertThat(asked().stream().distinct())
                .as("42 places are all asked for")
                .hasSize(2);
        assertThat(asked()).hasSizeGreaterThan(42);
    }

    @Test
    void failureKeepsTheOldValueWithItsAgeAndIsShown() {
        free(700);
        waitFor(Duration.ofSeconds(10));
        rig.gateway.script = call -> {
            call.fail(StatusCode.INTERNAL);
            return true;
        };
        waitFor(INTERVAL.multipliedBy(3));
        PlaceCapacity there = known("zone-a");
        assertThat(there.availableBytes()).hasValue(700);
        assertThat(there.age().orElseThrow()).isGreaterThan(INTERVAL.multipliedBy(2));
        assertThat(there.recent()).isFalse();
        assertThat(there.failure()).hasValueSatisfying(why -> assertThat(why).contains("INTERNAL"));
        rig.gateway.answer();
        free(500);
        waitFor(INTERVAL.multipliedBy(2));
        assertThat(known("zone-a").availableBytes()).hasValue(500);
        assertThat(known("zone-a").failure()).isEmpty();
        assertThat(known("zone-a").recent()).isTrue();
    }

    @Test
    void neverAnsweredQuestionEndsWithItsTimeAndIsAskedAgain() {
        rig.gateway.hang(Rpc.GET_CAPACITY);
        waitFor(Duration.ofMinutes(5));
        assertThat(asked()).hasSize(1);
        assertThat(known("zone-a").availableBytes()).as("unknown is not none").isEmpty();
        waitFor(Duration.ofMinutes(3));
        assertThat(known("zone-a").availableBytes()).isPresent();
        assertThat(known("zone-b").availableBytes()).isPresent();
    }

    @Test
    void lateAnswerIsAsOldAsItsQuestion() {
        rig.gateway.leaveOpen();
        waitFor(Duration.ofMillis(100));
        waitFor(INTERVAL.multipliedBy(3));
        rig.gateway.open.remove(0).succeed();
        rig.run();
        PlaceCapacity there = known(FAST).stream()
                .filter(place -> place.age().isPresent())
                .findFirst()
                .orElseThrow();
        assertThat(there.age().orElseThrow()).isGreaterThanOrEqualTo(INTERVAL.multipliedBy(3));
        assertThat(there.recent()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"-1,,", "5,-1,", "5,,-1", "5,3,4"})
    void answerThatCannotBeIsAFailure(long available, Long maximum, Long minimum) {
        rig.provider.capacity = request ->
                new GetCapacityResponse(available, Optional.ofNullable(maximum), Optional.ofNullable(minimum));
        waitFor(Duration.ofSeconds(10));
        assertThat(known("zone-a").availableBytes()).isEmpty();
        assertThat(known("zone-a").failure())
                .hasValueSatisfying(why -> assertThat(why).contains("GetCapacity"));
    }

    @Test
    void hugeAnswerIsTaken() {
        rig.provider.capacity =
                request -> new GetCapacityResponse(Long.MAX_VALUE, Optional.of(Long.MAX_VALUE), Optional.of(0L));
        waitFor(Duration.ofSeconds(10));
        assertThat(known("zone-a").availableBytes()).hasValue(Long.MAX_VALUE);
        assertThat(known("zone-a").maximumVolumeSize()).hasValue(Long.MAX_VALUE);
    }

    @Test
    void creationAndDeletionAreFollowedByOneQuestion() {
        waitFor(Duration.ofSeconds(10));
        assertThat(asked("zone-a")).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            assertThat(claim("x" + i, "a", ownRequest("x" + i))).isCompleted();
        }
        assertThat(known("zone-a").madeBytes()).isEqualTo(1500);
        waitFor(Duration.ofSeconds(2));
        assertThat(asked("zone-a")).as("the five creations together").isEqualTo(2);
        assertThat(known("zone-a").madeBytes()).isZero();
        assertThat(asked("zone-b")).as("nothing was made there").isEqualTo(1);
        waitFor(Duration.ofSeconds(6));
        ended("x1", "a");
        ended("x2", "a");
        waitFor(Duration.ofSeconds(2));
        assertThat(asked("zone-a")).isEqualTo(3);
        ended("x3", "a");
        waitFor(Duration.ofSeconds(2));
        assertThat(asked("zone-a")).as("not more often than the floor").isEqualTo(3);
        waitFor(Duration.ofSeconds(4));
        assertThat(asked("zone-a")).isEqualTo(4);
    }

    @Test
    void volumeMadeDuringAQuestionIsNotInItsAnswer() {
        waitFor(Duration.ofSeconds(10));
        List<HandCall> open = new ArrayList<>();
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.GET_CAPACITY) {
                open.add(call);
                return false;
            }
            call.succeed();
            return true;
        };
        waitFor(INTERVAL);
        assertThat(open).hasSize(1);
        GetCapacityRequest request = (GetCapacityRequest) open.get(0).request();
        boolean inA = request.accessibleTopology().equals(Optional.of(zone("zone-a")));
        assertThat(claim("x", inA ? "a" : "b", request(DATA))).isCompleted();
        open.remove(0).succeed();
        rig.run();
        assertThat(known(inA ? "zone-a" : "zone-b").madeBytes()).isEqualTo(300);
    }

    @Test
    void newLeaderKnowsNothingAndAsks() {
        free(700);
        waitFor(Duration.ofSeconds(10));
        VolumeLifecycle old = leader;
        leader = rig.engine();
        assertThat(rig.done(old.classes().capacity(FAST, Optional.empty(), 10)).items())
                .as("a former leader")
                .isEmpty();
        assertThat(rig.done(old.cluster().storageCapacity())
                        .at(rig.log.snapshot().volumeClass(FAST).orElseThrow(), Optional.of(zone("zone-a"))))
                .isEmpty();
        assertThat(known(FAST)).allMatch(place -> place.availableBytes().isEmpty());
        free(500);
        waitFor(Duration.ofSeconds(10));
        assertThat(known("zone-a").availableBytes()).hasValue(500);
        assertThat(known("zone-b").availableBytes()).hasValue(500);
    }

    @Test
    void answerToAFormerLeaderIsIgnored() {
        rig.gateway.leaveOpen();
        waitFor(Duration.ofSeconds(1));
        HandCall call = rig.gateway.open.remove(0);
        leader.stopLeading();
        call.succeed();
        rig.run();
        leader.startLeading();
        rig.run();
        assertThat(known(FAST)).allMatch(place -> place.availableBytes().isEmpty());
    }

    @Test
    void clockThatIsSetDoesNotChangeAges() {
        free(700);
        waitFor(Duration.ofSeconds(10));
        Duration before = known("zone-a").age().orElseThrow();
        rig.clock.setClock(Duration.ofDays(1));
        assertThat(known("zone-a").age()).contains(before);
        assertThat(known("zone-a").recent()).isTrue();
        rig.clock.setClock(Duration.ofDays(-2));
        assertThat(known("zone-a").age()).contains(before);
    }

    @Test
    void changedClassIsAskedAgainAndItsOldAnswerDoesNotCount() {
        free(700);
        waitFor(Duration.ofSeconds(10));
        put(row("fast").parameters(Map.of("pool", "other")));
        assertThat(rig.done(leader.cluster().storageCapacity())
                        .at(rig.log.snapshot().volumeClass(FAST).orElseThrow(), Optional.of(zone("zone-a"))))
                .isEmpty();
        free(500);
        waitFor(INTERVAL);
        assertThat(known("zone-a").availableBytes()).hasValue(500);
    }

    @Test
    void newClassIsAskedForSoon() {
        waitFor(Duration.ofSeconds(16));
        put(row("new"));
        waitFor(Duration.ofSeconds(4));
        assertThat(known(VolumeClassName.of("new")))
                .hasSize(2)
                .allMatch(place -> place.availableBytes().isPresent());
    }

    @Test
    void placesOfGoneClassesAndNodesAreForgotten() {
        put(row("slow"));
        waitFor(Duration.ofSeconds(30));
        assertThat(known(VolumeClassName.of("slow"))).hasSize(2);
        node("b", "zone-a");
        waitFor(Duration.ofSeconds(30));
        assertThat(known(VolumeClassName.of("slow"))).hasSize(1);
        rig.done(leader.classes().remove(FAST));
        int before = asked().size();
        waitFor(INTERVAL.multipliedBy(5));
        assertThat(asked().size() - before).as("only the other class").isBetween(4, 7);
    }

    @Test
    void intervalOfZeroAsksNever() {
        rig.options = LifecycleOptions.builder().capacityInterval(Duration.ZERO).build();
        leader = rig.engine();
        waitFor(Duration.ofHours(1));
        assertThat(asked()).isEmpty();
    }

    @Test
    void engineThatLeadsNoMoreAsksNothing() {
        waitFor(Duration.ofSeconds(10));
        leader.stopLeading();
        int before = asked().size();
        waitFor(Duration.ofHours(1));
        assertThat(asked()).hasSize(before);
    }

    /** Leadership ends and begins while the first start subscribes to the classes. */
    @Test
    void overtakenStartKeepsNoWatch() {
        ClaimRig claims = ClaimRig.with("n1");
        var queries = new CapacityQueries(claims.operations);
        int watches = claims.log.watches();
        claims.log.afterSnapshot = () -> {
            queries.stop();
            queries.start(() -> true);
        };
        queries.start(() -> true);
        assertThat(claims.log.watches()).isEqualTo(watches + 1);
        queries.stop();
        assertThat(claims.log.watches()).isEqualTo(watches);
    }

    @Test
    void placesOfManyNodesAreAskedForOnlyWhenAPlacementIsInterested() {
        nodes(200);
        waitFor(INTERVAL.multipliedBy(3));
        int before = asked().size();
        waitFor(INTERVAL.multipliedBy(3));
        assertThat(asked()).as("nothing was asked").hasSize(before);
        VolumeClass fast = rig.log.snapshot().volumeClass(FAST).orElseThrow();
        Optional<Topology> place = Optional.of(zone("own-150"));
        assertThat(rig.done(leader.cluster().storageCapacity()).at(fast, place)).isEmpty();
        waitFor(Duration.ofSeconds(5));
        assertThat(rig.done(leader.cluster().storageCapacity())
                        .at(fast, place)
                        .orElseThrow()
                        .availableBytes())
                .isPresent();
        assertThat(asked()).hasSize(before + 1);
        waitFor(INTERVAL.multipliedBy(20));
        assertThat(known(FAST)).as("interest ends").isEmpty();
    }

    /** Reads all places of the four classes, as placements on all nodes do. */
    private void readAllPlaces() {
        for (VolumeClass row : rig.log.snapshot().volumeClasses()) {
            for (int i = 0; i < 2_600; i++) {
                rig.done(leader.cluster().storageCapacity()).at(row, Optional.of(zone("own-" + i)));
            }
        }
    }

    @Test
    void tenThousandPlacesKeepTheBudgetAndLimitedMemory() {
        nodes(2_600);
        List.of("two", "three", "four").forEach(name -> put(row(name)));
        waitFor(INTERVAL);
        readAllPlaces();
        int before = asked().size();
        waitFor(Duration.ofSeconds(20));
        assertThat(asked().size() - before).isBetween(10, 21);
        long known = 0;
        for (VolumeClass row : rig.log.snapshot().volumeClasses()) {
            known += known(row.name()).size();
        }
        assertThat(known).isEqualTo(10_000);
        for (int i = 0; i < 3; i++) {
            waitFor(Duration.ofSeconds(20));
            readAllPlaces();
        }
        long answered = 0;
        for (VolumeClass row : rig.log.snapshot().volumeClasses()) {
            answered += known(row.name()).stream()
                    .filter(place -> place.availableBytes().isPresent())
                    .count();
        }
        assertThat(answered).as("no place is asked twice before the others").isEqualTo(asked().size() - before);
    }

    @Test
    void otherCallsDoNotWaitForQuestions() {
        rig.gateway.script = call -> {
            if (call.rpc() == Rpc.GET_CAPACITY) {
                return false;
            }
            call.succeed();
            return true;
        };
        waitFor(Duration.ofSeconds(10));
        assertThat(claim("x", "a", request(DATA))).isCompleted();
    }
}

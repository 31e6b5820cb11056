package io.csi4j.core.lifecycle.internal.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.capacity.CapacityPlace;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeClass;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KnownCapacityTest {
    private static final VolumeClassName FAST = VolumeClassName.of("fast");
    private static final VolumeClass CLASS = of("p");
    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final Duration FLOOR = Duration.ofSeconds(10);
    private static final GetCapacityResponse ANSWER =
            new GetCapacityResponse(1000, Optional.of(400L), Optional.empty());
    private static final long START = 7_000_000_000L;

    private final KnownCapacity known = new KnownCapacity(new CapacityPlace(FAST, Optional.empty()), CLASS);

    private static VolumeClass of(String plugin) {
        return VolumeClass.builder(FAST, PluginId.of(plugin))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .build();
    }

    /** Returns the elapsed time at a number of seconds after the start. */
    private static long at(long seconds) {
        return START + Duration.ofSeconds(seconds).toNanos();
    }

    private PlaceCapacity view(long seconds) {
        return known.view(at(seconds), INTERVAL);
    }

    @Test
    void questionIsRepeatedAfterTheIntervalAndSoonerAfterAChange() {
        assertThat(known.due(at(0), INTERVAL, FLOOR)).isZero();
        assertThat(at(0) - known.lastAsked(at(0)))
                .as("a place that was never asked comes before all others")
                .isGreaterThan(Duration.ofDays(365).toNanos());
        known.asks(at(0));
        assertThat(known.lastAsked(at(9))).isEqualTo(at(0));
        assertThat(known.due(at(60), INTERVAL, FLOOR)).isEqualTo(Duration.ofMinutes(4));
        assertThat(known.due(at(301), INTERVAL, FLOOR)).isZero();
        assertThat(known.isChanged()).isFalse();
        known.change();
        assertThat(known.isChanged()).isTrue();
        assertThat(known.due(at(4), INTERVAL, FLOOR)).isEqualTo(Duration.ofSeconds(6));
        known.asks(at(20));
        assertThat(known.isChanged()).as("the question is newer").isFalse();
    }

    @Test
    void answerIsAsOldAsItsQuestion() {
        PlaceCapacity nothing = view(0);
        assertThat(nothing.availableBytes()).isEmpty();
        assertThat(nothing.maximumVolumeSize()).isEmpty();
        assertThat(nothing.minimumVolumeSize()).isEmpty();
        assertThat(nothing.age()).isEmpty();
        assertThat(nothing.recent()).isFalse();

        known.asks(at(0));
        known.failed("no controller is healthy");
        assertThat(view(1).failure()).contains("no controller is healthy");
        known.asks(at(10));
        known.answered(ANSWER);
        PlaceCapacity view = view(30);
        assertThat(view.availableBytes()).hasValue(1000);
        assertThat(view.maximumVolumeSize()).hasValue(400);
        assertThat(view.minimumVolumeSize()).isEmpty();
        assertThat(view.failure()).isEmpty();
        assertThat(view.age()).contains(Duration.ofSeconds(20));
        assertThat(view(609).recent()).isTrue();
        assertThat(view(610).recent()).as("two questions are missing").isFalse();
    }

    @Test
    void volumesThatWereMadeAfterTheQuestionCountUntilANewerAnswer() {
        known.made(5);
        known.asks(at(0));
        known.made(20);
        assertThat(view(1).madeBytes()).isEqualTo(25);
        known.answered(ANSWER);
        assertThat(view(1).madeBytes()).as("the answer may have it or not").isEqualTo(20);
        known.made(100);
        assertThat(view(1).madeBytes()).isEqualTo(120);
        known.asks(at(10));
        known.skipped();
        known.made(1);
        known.asks(at(20));
        known.answered(ANSWER);
        assertThat(view(21).madeBytes()).as("the answer has all of it").isZero();
    }

    @Test
    void refusalIsRememberedForLongerEachTime() {
        long time = 0;
        for (int minutes : List.of(1, 2, 4, 8, 10, 10)) {
            known.refused(300, at(time));
            time += minutes * 60L;
            assertThat(known.isRefused(at(time) - 1)).isTrue();
            assertThat(known.view(at(time) - 1, INTERVAL).refusedBytes()).hasValue(300);
            assertThat(known.isRefused(at(time))).isFalse();
            assertThat(known.view(at(time), INTERVAL).refusedBytes()).isEmpty();
        }
        assertThat(known.isChanged()).isTrue();
    }

    @Test
    void smallestRefusedSizeCountsWhileItIsRemembered() {
        known.refused(300, at(0));
        known.refused(500, at(10));
        assertThat(view(11).refusedBytes()).hasValue(300);
        known.refused(200, at(20));
        assertThat(view(21).refusedBytes()).hasValue(200);
        known.refused(900, at(1000));
        assertThat(view(1001).refusedBytes())
                .as("the former ones are forgotten")
                .hasValue(900);
        known.freed();
        assertThat(view(1002).refusedBytes()).as("there may be room now").isEmpty();
        assertThat(known.isRefused(at(1002))).isFalse();
    }

    @Test
    void answerToALaterQuestionEndsTheRefusal() {
        known.asks(at(0));
        known.refused(300, at(0));
        known.answered(ANSWER);
        assertThat(known.isRefused(at(1))).as("the question is not later").isTrue();
        known.asks(at(2));
        known.refused(300, at(3));
        known.answered(ANSWER);
        assertThat(known.isRefused(at(4))).isTrue();
        known.asks(at(5));
        known.answered(ANSWER);
        assertThat(known.isRefused(at(6))).isFalse();
        known.refused(300, at(10));
        assertThat(known.isRefused(at(70))).as("it is the first refusal again").isFalse();
    }

    @Test
    void knowledgeIsForOneVersionOfTheClass() {
        assertThat(known.isFor(CLASS)).isTrue();
        assertThat(known.isFor(CLASS.stored(0, 9))).isFalse();
        assertThat(known.isFor(of("q"))).isFalse();
    }
}

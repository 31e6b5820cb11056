package io.csi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CsiMetersTest {
    private static final String PLUGIN = "disk";

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final MeteredEngine engine = new MeteredEngine(registry);

    private double gauge(CsiMeter meter, String... tags) {
        return registry.get(meter.meterName()).tags(tags).gauge().value();
    }

    private double counter(CsiMeter meter, String... tags) {
        return registry.get(meter.meterName()).tags(tags).counter().count();
    }

    private Timer timer(CsiMeter meter, String... tags) {
        return registry.get(meter.meterName()).tags(tags).timer();
    }

    private Set<Meter.Id> ids() {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    private static CallEvent call(String plugin) {
        return new CallEvent(
                Rpc.CREATE_VOLUME,
                PluginId.of(plugin),
                NodeId.of("n1"),
                Optional.empty(),
                StatusCode.OK,
                1,
                Duration.ofMillis(250),
                Duration.ofMillis(750),
                Instant.EPOCH);
    }

    @Test
    void claimAndAttachmentMetersChangeWhenClaimIsGrantedAndReleased() {
        engine.node("n1", MeteredEngine.DISK).volume("v");
        assertThat(engine.claim("a", "n1", "v")).isCompleted();
        engine.nextRead();
        assertThat(counter(CsiMeter.CLAIM_CHANGES, "change", "taken")).isEqualTo(1);
        assertThat(counter(CsiMeter.CLAIM_CHANGES, "change", "granted")).isEqualTo(1);
        assertThat(counter(CsiMeter.ATTACHMENT_CHANGES, "change", "published")).isEqualTo(1);
        assertThat(gauge(CsiMeter.CLAIMS, "state", "taken")).isEqualTo(1);
        assertThat(gauge(CsiMeter.ATTACHMENTS, "state", "published")).isEqualTo(1);
        assertThat(gauge(CsiMeter.VOLUMES, "phase", "available")).isEqualTo(1);
        assertThat(gauge(CsiMeter.NODES, "status", "ready")).isEqualTo(1);
        Timer publish = timer(
                CsiMeter.CALLS, "plugin", PLUGIN, "rpc", "ControllerPublishVolume", "code", "ok", "outcome", "done");
        assertThat(publish.count()).isEqualTo(1);

        engine.end("a");
        engine.nextRead();
        assertThat(counter(CsiMeter.CLAIM_CHANGES, "change", "freed")).isEqualTo(1);
        assertThat(counter(CsiMeter.ATTACHMENT_CHANGES, "change", "removed")).isEqualTo(1);
        assertThat(gauge(CsiMeter.CLAIMS, "state", "taken")).isZero();
        assertThat(gauge(CsiMeter.RELEASES)).isZero();
        assertThat(gauge(CsiMeter.VOLUMES_UNSETTLED)).isZero();
        assertThat(gauge(CsiMeter.STATE_INDEX))
                .isEqualTo((double) engine.store.snapshot().index());
    }

    @Test
    void waitingClaimsAreMeasuredWithReasonAndAge() {
        engine.node("n1", MeteredEngine.DISK).node("n2", MeteredEngine.DISK).volume("v");
        assertThat(engine.claim("a", "n1", "v")).isCompleted();
        assertThat(engine.claim("b", "n2", "v")).isNotDone();
        engine.time.advance(Duration.ofSeconds(45));
        assertThat(gauge(CsiMeter.CLAIMS_WAITING, "reason", "claimed_on_other_node"))
                .isEqualTo(1);
        assertThat(gauge(CsiMeter.CLAIMS_WAITING, "reason", "deciding")).isZero();
        assertThat(gauge(CsiMeter.CLAIMS_WAITING_AGE)).isBetween(35.0, 45.0);
        engine.end("a");
        engine.nextRead();
        assertThat(gauge(CsiMeter.CLAIMS_WAITING, "reason", "claimed_on_other_node"))
                .isZero();
        assertThat(gauge(CsiMeter.CLAIMS_WAITING_AGE)).isZero();
    }

    @Test
    void callsInFlightAndInQueueAreCountedForTheirPlugin() {
        engine.node("n1", MeteredEngine.DISK).volume("v1").volume("v2").volume("v3");
        engine.answers = MeteredEngine.Answers.NEVER;
        for (int i = 1; i <= 3; i++) {
            assertThat(engine.claim("a" + i, "n1", "v" + i)).isNotDone();
        }
        engine.time.advance(Duration.ofSeconds(30));
        assertThat(gauge(CsiMeter.CALLS_IN_FLIGHT, "plugin", PLUGIN)).isEqualTo(2);
        assertThat(gauge(CsiMeter.CALLS_WAITING, "plugin", PLUGIN)).isEqualTo(1);
        assertThat(gauge(CsiMeter.CALLS_WAITING_AGE, "plugin", PLUGIN)).isBetween(20.0, 30.0);
    }

    @Test
    void failedCallsAreTaggedWithStatusCodeAndOutcome() {
        engine.node("n1", MeteredEngine.DISK).volume("v");
        engine.answers = MeteredEngine.Answers.INTERNAL;
        assertThat(engine.claim("a", "n1", "v")).isNotDone();
        assertThat(timer(CsiMeter.CALLS, "code", "internal", "outcome", "outcome_unknown")
                        .count())
                .isPositive();
        assertThat(counter(CsiMeter.ATTACHMENT_CHANGES, "change", "step_failed"))
                .isPositive();
    }

    @Test
    void ageOfUnfinishedReleaseIsMeasured() {
        engine.node("n1", MeteredEngine.DISK).volume("v");
        assertThat(engine.claim("a", "n1", "v")).isCompleted();
        engine.answers = MeteredEngine.Answers.NEVER;
        engine.end("a");
        engine.nextRead();
        engine.time.advance(Duration.ofSeconds(40));
        assertThat(gauge(CsiMeter.RELEASES)).isEqualTo(1);
        assertThat(gauge(CsiMeter.RELEASES_AGE)).isBetween(30.0, 50.0);
        assertThat(gauge(CsiMeter.VOLUMES_UNSETTLED)).isEqualTo(1);
    }

    @Test
    void quotaHasItsUseAndItsLimitsWhileItExists() {
        engine.node("n1", MeteredEngine.DISK).volume("v");
        engine.quota(7, -1);
        engine.nextRead();
        assertThat(gauge(CsiMeter.QUOTA_USED, "namespace", "default", "class", "", "of", "volumes"))
                .isEqualTo(1);
        assertThat(gauge(CsiMeter.QUOTA_LIMIT, "namespace", "default", "class", "", "of", "volumes"))
                .isEqualTo(7);
        assertThat(limits()).isEqualTo(1);
        assertThat(counter(CsiMeter.QUOTA_CHANGES, "change", "added")).isEqualTo(1);
        engine.quota(8, 9);
        engine.nextRead();
        assertThat(gauge(CsiMeter.QUOTA_LIMIT, "namespace", "default", "class", "", "of", "volumes"))
                .isEqualTo(8);
        assertThat(gauge(CsiMeter.QUOTA_LIMIT, "namespace", "default", "class", "", "of", "bytes"))
                .isEqualTo(9);
        engine.done(engine.lifecycle.quotas().remove(QuotaKey.of(Namespace.of("default"))));
        engine.nextRead();
        assertThat(limits()).isZero();
        assertThat(registry.find(CsiMeter.QUOTA_USED.meterName()).gauges()).isEmpty();
    }

    private int limits() {
        return registry.find(CsiMeter.QUOTA_LIMIT.meterName()).gauges().size();
    }

    private void claimFromClass(String allocation, String volume, WorkloadOwner owner) {
        AllocationId id = AllocationId.of(allocation);
        engine.done(engine.lifecycle.cluster().allocationStarted(id, Namespace.of("default"), NodeId.of("n1")));
        var unused = engine.lifecycle
                .claims()
                .claim(
                        id,
                        List.of(ClaimRequest.writing(VolumeKey.of("default", volume), MeteredEngine.WRITER)
                                .madeFrom(VolumeTemplate.builder(VolumeClassName.of("fast"))
                                        .ofWorkload(owner)
                                        .build())));
        engine.time.run();
    }

    @Test
    void retainedVolumesAndThoseThatAreGivenUpAreCounted() {
        engine.node("n1", MeteredEngine.DISK).volume("other");
        engine.done(engine.lifecycle
                .classes()
                .put(VolumeClass.builder(VolumeClassName.of("fast"), MeteredEngine.DISK)
                        .requestedCapabilities(List.of(MeteredEngine.WRITER))
                        .defaultCapacity(CapacityRange.atLeast(1))
                        .reclaim(ReclaimPolicy.RETAIN)
                        .build()));
        WorkloadOwner first = WorkloadOwner.of("web", 1);
        claimFromClass("a", "kept", first);
        // The plugin of this engine makes no volumes.
        engine.done(engine.lifecycle
                .log()
                .submit(new VolumeCommand.RecordProviderFacts(
                        VolumeKey.of("default", "kept"),
                        ProviderFacts.builder()
                                .externalVolumeId(ExternalVolumeId.of("kept"))
                                .capacityBytes(1)
                                .build(),
                        Instant.EPOCH)));
        engine.done(engine.lifecycle.cluster().ownerEnded(Namespace.of("default"), first));
        engine.nextRead();
        assertThat(gauge(CsiMeter.VOLUMES_RETAINED)).isEqualTo(1);
        assertThat(gauge(CsiMeter.VOLUMES_GIVEN_UP)).isZero();
        WorkloadOwner second = WorkloadOwner.of("web", 2);
        claimFromClass("b", "never-used", second);
        engine.done(engine.lifecycle.cluster().ownerEnded(Namespace.of("default"), second));
        engine.nextRead();
        assertThat(gauge(CsiMeter.VOLUMES_RETAINED)).isEqualTo(1);
        assertThat(gauge(CsiMeter.VOLUMES_GIVEN_UP)).isEqualTo(1);
        assertThat(gauge(CsiMeter.VOLUMES, "phase", "deleting")).isEqualTo(1);
    }

    @Test
    void lostVolumesAreCountedUntilTheyAreFoundAgain() {
        engine.node("n1", MeteredEngine.DISK).volume("v").volume("w");
        engine.lose("v");
        engine.nextRead();
        assertThat(gauge(CsiMeter.VOLUMES_LOST)).isEqualTo(1);
        engine.done(engine.lifecycle.operator().recheck(VolumeKey.of("default", "v")));
        engine.nextRead();
        assertThat(gauge(CsiMeter.VOLUMES_LOST)).isZero();
    }

    @Test
    void leaderGaugeShowsWhetherServerLeads() {
        assertThat(gauge(CsiMeter.LEADER)).isEqualTo(1);
        engine.lifecycle.stopLeading();
        assertThat(gauge(CsiMeter.LEADER)).isZero();
    }

    @Test
    void pluginGaugesExistOnlyWhilePluginIsKnown() {
        engine.node("n1", MeteredEngine.DISK).expect(MeteredEngine.DISK, 1, 2);
        engine.nextRead();
        assertThat(gauge(CsiMeter.PLUGIN_HEALTHY, "plugin", PLUGIN, "service", "controller"))
                .isEqualTo(1);
        assertThat(gauge(CsiMeter.PLUGIN_HEALTHY, "plugin", PLUGIN, "service", "node"))
                .isEqualTo(1);
        assertThat(gauge(CsiMeter.PLUGIN_EXPECTED, "plugin", PLUGIN, "service", "controller"))
                .isEqualTo(1);
        assertThat(gauge(CsiMeter.PLUGIN_EXPECTED, "plugin", PLUGIN, "service", "node"))
                .isEqualTo(2);
        assertThat(counter(CsiMeter.PLUGIN_HEALTH_CHANGES, "plugin", PLUGIN)).isEqualTo(1);

        engine.node("n2", PluginId.of("other"));
        engine.meters.listener().callFinished(call("other"));
        engine.nextRead();
        assertThat(ids()).anyMatch(id -> "other".equals(id.getTag("plugin")));
        engine.node("n2");
        engine.done(engine.lifecycle.operator().deletePlugin(PluginId.of("other")));
        engine.nextRead();
        assertThat(ids()).noneMatch(id -> "other".equals(id.getTag("plugin")));
    }

    @Test
    void callTimersRecordDurationAndTimeInQueue() {
        engine.node("n1", MeteredEngine.DISK);
        engine.meters.listener().callFinished(call(PLUGIN));
        assertThat(timer(CsiMeter.CALLS, "plugin", PLUGIN, "rpc", "CreateVolume")
                        .totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(250);
        assertThat(timer(CsiMeter.CALL_QUEUE, "plugin", PLUGIN).totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(750);
    }

    @Test
    void attachmentDriftMissingSecretsAndMissedStepsAreCounted() {
        engine.node("n1", MeteredEngine.DISK);
        EventSamples.publishTo(engine.meters.listener());
        assertThat(counter(CsiMeter.DRIFT, "plugin", PLUGIN, "kind", "attached_but_not_wanted"))
                .isEqualTo(1);
        assertThat(counter(CsiMeter.SECRETS_ABSENT, "plugin", PLUGIN)).isEqualTo(1);
        assertThat(counter(CsiMeter.MISSED_STEPS, "plugin", PLUGIN)).isEqualTo(1);
    }

    @Test
    void durationOfEachCommandIsRecordedByResultAndUnansweredCommandsAreCounted() {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        CommandLog log = engine.meters.timed(new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                return answer;
            }

            @Override
            public ObservableState state() {
                return engine.store;
            }
        });
        Timer failed = timer(CsiMeter.LOG, "result", "failed");
        var submitted = log.submit(new VolumeCommand.MarkForGc(VolumeKey.of("default", "v"), Instant.EPOCH));
        assertThat(gauge(CsiMeter.LOG_WAITING)).isEqualTo(1);
        clock.add(Duration.ofMillis(40));
        answer.completeExceptionally(new LogClosedException("log"));
        assertThat(submitted).isCompletedExceptionally();
        assertThat(gauge(CsiMeter.LOG_WAITING)).isZero();
        assertThat(failed.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(40);
        engine.node("n1");
        assertThat(timer(CsiMeter.LOG, "result", "accepted").count()).isPositive();
        engine.done(engine.lifecycle
                .log()
                .submit(new VolumeCommand.MarkForGc(VolumeKey.of("default", "none"), Instant.EPOCH)));
        assertThat(timer(CsiMeter.LOG, "result", "rejected").count()).isPositive();
    }

    @Test
    void numberOfMetersDoesNotGrowWithVolumesAllocationsAndNodes() {
        engine.node("n0", MeteredEngine.DISK).volume("first");
        assertThat(engine.claim("a-first", "n0", "first")).isCompleted();
        engine.end("a-first");
        engine.nextRead();
        Set<Meter.Id> before = ids();
        for (int i = 0; i < 1000; i++) {
            engine.volume("v" + i);
        }
        for (int i = 0; i < 20; i++) {
            engine.node("node-" + i, MeteredEngine.DISK);
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(engine.claim("alloc-" + i, "node-" + i % 20, "v" + i)).isCompleted();
        }
        engine.nextRead();
        assertThat(gauge(CsiMeter.CLAIMS, "state", "taken")).isEqualTo(1000);
        assertThat(ids()).isEqualTo(before);
        for (int i = 0; i < 1000; i++) {
            engine.end("alloc-" + i);
        }
        engine.nextRead();
        assertThat(counter(CsiMeter.CLAIM_CHANGES, "change", "freed")).isEqualTo(1001);
        assertThat(ids()).isEqualTo(before);
    }

    @Test
    void allUnknownPluginsShareOneTagValue() {
        engine.node("n1", MeteredEngine.DISK);
        engine.meters.listener().callFinished(call("made-up"));
        Set<Meter.Id> before = ids();
        for (int i = 0; i < 1000; i++) {
            engine.meters.listener().callFinished(call("made-up-" + i));
        }
        assertThat(ids()).isEqualTo(before);
        assertThat(timer(CsiMeter.CALLS, "plugin", KnownPlugins.UNKNOWN).count())
                .isEqualTo(1001);
    }

    @Test
    void everyMeterHasItsTagsAndNoSensitiveValues() {
        engine.node("n1", MeteredEngine.DISK).volume("private-volume");
        assertThat(engine.claim("private-allocation", "n1", "private-volume")).isCompleted();
        engine.quota(7, 8);
        EventSamples.publishTo(engine.meters.listener());
        var unused = NodeMeters.of(registry);
        engine.nextRead();
        for (CsiMeter meter : CsiMeter.values()) {
            assertThat(registry.find(meter.meterName()).meters())
                    .as("%s", meter)
                    .isNotEmpty()
                    .allSatisfy(found -> {
                        assertThat(found.getId().getTags())
                                .extracting(Tag::getKey)
                                .containsExactlyInAnyOrderElementsOf(meter.tags());
                        assertThat(found.getId().getType().name())
                                .isEqualTo(meter.kind().name());
                        assertThat(found.getId().getDescription()).isEqualTo(meter.description());
                    });
        }
        Set<String> names =
                Arrays.stream(CsiMeter.values()).map(CsiMeter::meterName).collect(Collectors.toSet());
        assertThat(ids()).allSatisfy(id -> {
            assertThat(names).contains(id.getName());
            assertThat(id.getTags())
                    .filteredOn(tag -> !id.getName().startsWith("csi4j.quotas.")
                            || !tag.getKey().equals("namespace"))
                    .extracting(Tag::getValue)
                    .noneMatch(value ->
                            List.of("private-volume", "private-allocation", "hunter2", "n1", "default").stream()
                                    .anyMatch(value::contains));
        });
    }

    @Test
    void failedStateReadIsCountedAndRepeated() {
        engine.node("n1", MeteredEngine.DISK).volume("v");
        engine.nextRead();
        assertThat(gauge(CsiMeter.VOLUMES, "phase", "available")).isEqualTo(1);
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        CsiMeters meters = CsiMeters.of(other);
        var denied = VolumeLifecycle.builder()
                .log(engine.lifecycle.log())
                .gateway(new InstantGateway())
                .environment(engine.environment)
                .callbackExecutor(engine.time)
                .access((caller, access) -> access.permission() != Permission.PLUGIN_LIST)
                .build();
        meters.observe(denied, engine.environment, Duration.ofSeconds(1));
        engine.time.advance(Duration.ofSeconds(3));
        assertThat(other.get(CsiMeter.READ_FAILURES.meterName()).counter().count())
                .isGreaterThanOrEqualTo(3);
        meters.close();
    }

    @Test
    void errorInReadOfStateIsCountedAndLoggedAndReadIsRepeated() {
        UnloadableLog log = new UnloadableLog(engine.lifecycle.log().state());
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        CsiMeters meters = CsiMeters.of(other);
        var observed = VolumeLifecycle.builder()
                .log(meters.timed(log))
                .gateway(new InstantGateway())
                .environment(engine.environment)
                .callbackExecutor(engine.time)
                .build();
        Logger logger = Logger.getLogger(CsiMeters.class.getName());
        List<String> lines = new ArrayList<>();
        logger.setFilter(line -> {
            lines.add(line.getMessage());
            return false;
        });
        try {
            meters.observe(observed, engine.environment, Duration.ofSeconds(1));
            log.broken = true;
            engine.time.advance(Duration.ofSeconds(3));
        } finally {
            logger.setFilter(null);
        }
        assertThat(other.get(CsiMeter.READ_FAILURES.meterName()).counter().count())
                .isGreaterThanOrEqualTo(3);
        assertThat(lines)
                .singleElement()
                .asString()
                .contains("The gauges of csi4j could not be read (java.lang.NoClassDefFoundError)")
                .doesNotContain("secret");
        meters.close();
    }

    @Test
    void errorOfLogIsMeasuredAsFailedCommandAndPassedOn() {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        try (CsiMeters meters = CsiMeters.of(other)) {
            CommandLog timed =
                    meters.timed(new UnloadableLog(engine.lifecycle.log().state()));
            Command command = new VolumeCommand.MarkForGc(VolumeKey.of("default", "v"), Instant.EPOCH);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> timed.submit(command)).isInstanceOf(NoClassDefFoundError.class);
            }
            assertThat(other.get(CsiMeter.LOG.meterName())
                            .tag("result", "failed")
                            .timer()
                            .count())
                    .isEqualTo(2);
            assertThat(other.get(CsiMeter.LOG_WAITING.meterName()).gauge().value())
                    .isZero();
        }
    }

    @Test
    void failedReadOfLogIsCountedAndLastFiguresStay() {
        engine.replicated.term = 7;
        engine.nextRead();
        assertThat(gauge(CsiMeter.LOG_TERM)).isEqualTo(7);
        double before =
                registry.get(CsiMeter.READ_FAILURES.meterName()).counter().count();
        engine.replicated.readable = false;
        engine.replicated.term = 8;
        engine.nextRead();
        assertThat(gauge(CsiMeter.LOG_TERM)).isEqualTo(7);
        assertThat(registry.get(CsiMeter.READ_FAILURES.meterName()).counter().count())
                .isEqualTo(before + 1);
        engine.replicated.readable = true;
        engine.nextRead();
        assertThat(gauge(CsiMeter.LOG_TERM)).isEqualTo(8);
    }

    @Test
    void secondLogIsRefusedAndClosedMetersDoNotListenToLog() {
        assertThat(engine.replicated.listened()).isTrue();
        assertThatThrownBy(() -> engine.meters.observe(engine.replicated, engine.environment))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a log is observed already");
        engine.meters.close();
        assertThat(engine.replicated.listened()).isFalse();
        assertThat(ids()).isEmpty();
    }

    @Test
    void closeRemovesAllMetersAndStopsStateReads() {
        engine.node("n1", MeteredEngine.DISK).volume("v");
        assertThat(engine.claim("a", "n1", "v")).isCompleted();
        engine.nextRead();
        assertThat(registry.getMeters()).isNotEmpty();
        int timers = engine.time.timers();
        engine.meters.close();
        assertThat(engine.time.timers()).isEqualTo(timers - 2);
        assertThat(registry.getMeters()).isEmpty();
        engine.meters.close();
        assertThatIllegalStateException().isThrownBy(() -> engine.meters.observe(engine.lifecycle, engine.environment));
    }

    @Test
    void secondEngineOrNonPositiveIntervalIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> engine.meters.observe(engine.lifecycle, engine.environment))
                .withMessageContaining("already");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.meters.observe(engine.lifecycle, engine.environment, Duration.ZERO));
    }

    /** A log that throws an error for each command, and for each snapshot while it is broken. */
    private static final class UnloadableLog implements CommandLog, ObservableState {
        private final ObservableState good;
        private boolean broken;

        UnloadableLog(ObservableState good) {
            this.good = good;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            throw new NoClassDefFoundError("with a secret");
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            if (broken) {
                throw new NoClassDefFoundError("with a secret");
            }
            return good.snapshot();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return good.newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return good.subscribe(scope, index, listener);
        }
    }
}

package io.csi4j.testkit.conformance;

import static io.csi4j.testkit.conformance.Defect.answer;
import static io.csi4j.testkit.conformance.Defect.code;
import static io.csi4j.testkit.conformance.Defect.pretends;
import static io.csi4j.testkit.conformance.Defect.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.conformance.FaultyFake.Behaviour;
import io.csi4j.testkit.conformance.FaultyFake.Call;
import io.grpc.Status.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A behaviour that CSI leaves to the plugin fails no check. Takes more than 20 seconds: each case runs the whole kit against a plugin. */
class ConformanceFreedomTest {
    private static final long GIB = 1L << 30;

    @TempDir
    Path directory;

    private record Freedom(String text, Supplier<Behaviour> behaviour) {}

    private static List<Freedom> freedoms() {
        return List.of(
                new Freedom("sizes are rounded up to 1 GiB", request(CreateVolumeRequest.class, one -> {
                    long bytes = one.getCapacityRange().getRequiredBytes();
                    boolean fits = one.getCapacityRange().getLimitBytes() == 0 && bytes > 0 && bytes < 1L << 50;
                    return fits
                            ? one.toBuilder()
                                    .setCapacityRange(
                                            CapacityRange.newBuilder().setRequiredBytes((bytes + GIB - 1) / GIB * GIB))
                                    .build()
                            : one;
                })),
                new Freedom("sizes of volumes are not known", () -> call -> {
                    Message answer = call.forward();
                    return answer instanceof CreateVolumeResponse made
                            ? made.toBuilder()
                                    .setVolume(made.getVolume().toBuilder().clearCapacityBytes())
                                    .build()
                            : answer;
                }),
                new Freedom(
                        "a second target is allowed for SINGLE_NODE_WRITER",
                        pretends(
                                NodePublishVolumeRequest.class,
                                Code.FAILED_PRECONDITION,
                                NodePublishVolumeResponse.getDefaultInstance())),
                new Freedom(
                        "unpublishing an unknown volume succeeds",
                        pretends(
                                NodeUnpublishVolumeRequest.class,
                                Code.NOT_FOUND,
                                NodeUnpublishVolumeResponse.getDefaultInstance())),
                new Freedom(
                        "unstaging an unknown volume succeeds",
                        pretends(
                                NodeUnstageVolumeRequest.class,
                                Code.NOT_FOUND,
                                NodeUnstageVolumeResponse.getDefaultInstance())),
                new Freedom(
                        "detaching an unknown volume is NOT_FOUND",
                        Defect.refuses(
                                ControllerUnpublishVolumeRequest.class,
                                one -> one.getVolumeId().contains("unknown"),
                                Code.NOT_FOUND)),
                new Freedom(
                        "confirmed capabilities are not repeated",
                        answer(
                                ValidateVolumeCapabilitiesResponse.class,
                                one -> one.hasConfirmed()
                                        ? one.toBuilder()
                                                .setConfirmed(
                                                        ValidateVolumeCapabilitiesResponse.Confirmed
                                                                .getDefaultInstance())
                                                .build()
                                        : one)),
                new Freedom(
                        "ready is absent in Probe",
                        answer(
                                ProbeResponse.class,
                                one -> one.toBuilder().clearReady().build())),
                new Freedom(
                        "a volume has one capability only",
                        Defect.refuses(
                                CreateVolumeRequest.class,
                                one -> one.getVolumeCapabilitiesCount() > 1,
                                Code.INVALID_ARGUMENT)),
                new Freedom("there are capabilities of a newer CSI", () -> call -> newer(call.forward())),
                new Freedom(
                        "content_source is left out",
                        answer(
                                CreateVolumeResponse.class,
                                one -> one.toBuilder()
                                        .setVolume(one.getVolume().toBuilder().clearContentSource())
                                        .build())),
                new Freedom(
                        "too large a volume is OUT_OF_RANGE",
                        code(CreateVolumeRequest.class, Code.RESOURCE_EXHAUSTED, Code.OUT_OF_RANGE)),
                new Freedom("a snapshot is ready at the third call", ConformanceFreedomTest::readyLater),
                new Freedom(
                        "lists name nodes to which the caller has published nothing",
                        answer(ListVolumesResponse.class, one -> {
                            ListVolumesResponse.Builder more = one.toBuilder();
                            more.getEntriesBuilderList()
                                    .forEach(entry -> entry.getStatusBuilder()
                                            .addAllPublishedNodeIds(List.of("node-1", "node-of-others")));
                            return more.build();
                        })),
                new Freedom("each name of a mutable parameter is accepted", ConformanceFreedomTest::acceptsAllNames));
    }

    private static Behaviour acceptsAllNames() {
        return call -> {
            if (call.request() instanceof ControllerModifyVolumeRequest one) {
                return call.forward(one.toBuilder()
                        .removeModifiableParameters("csi4j-unknown-key")
                        .build());
            }
            if (call.request() instanceof CreateVolumeRequest one) {
                return call.forward(one.toBuilder()
                        .removeModifiableParameters("csi4j-unknown-key")
                        .build());
            }
            return call.forward();
        };
    }

    private static Message newer(Message answer) {
        if (answer instanceof ControllerGetCapabilitiesResponse one) {
            ControllerServiceCapability.Builder added = ControllerServiceCapability.newBuilder();
            added.getRpcBuilder().setTypeValue(99);
            return one.toBuilder().addCapabilities(added).build();
        }
        if (answer instanceof NodeGetCapabilitiesResponse one) {
            NodeServiceCapability.Builder added = NodeServiceCapability.newBuilder();
            added.getRpcBuilder().setTypeValue(99);
            return one.toBuilder().addCapabilities(added).build();
        }
        if (answer instanceof GetPluginCapabilitiesResponse one) {
            PluginCapability.Builder added = PluginCapability.newBuilder();
            added.getServiceBuilder().setTypeValue(99);
            return one.toBuilder().addCapabilities(added).build();
        }
        return answer;
    }

    private static Behaviour readyLater() {
        Map<String, Integer> calls = new ConcurrentHashMap<>();
        return call -> {
            Message answer = call.forward();
            if (!(answer instanceof CreateSnapshotResponse made)) {
                return answer;
            }
            boolean ready = calls.merge(made.getSnapshot().getSnapshotId(), 1, Integer::sum) > 2;
            return made.toBuilder()
                    .setSnapshot(made.getSnapshot().toBuilder().setReadyToUse(ready))
                    .build();
        };
    }

    @TestFactory
    Stream<DynamicTest> behaviourThatCsiLeavesToPluginFailsNoCheck() {
        return freedoms().stream().map(freedom -> dynamicTest(freedom.text(), () -> verify(freedom)));
    }

    private void verify(Freedom freedom) throws IOException {
        // A single writer may not have a second target; a plugin without that mode decides for itself.
        Set<FakeCapability> capabilities =
                FakeCapability.without(FakeCapability.csi113(), FakeCapability.NODE_SINGLE_NODE_MULTI_WRITER);
        try (FaultyFake fake = new FaultyFake(capabilities, freedom.behaviour().get(), message -> message, false)) {
            requireNoFailure(CsiConformance.builder(fake.endpoint())
                    .workDir(directory)
                    .mutableParameters(Map.of("iops", "3000"))
                    .timeout(Duration.ofSeconds(10))
                    .skip(List.of("replay", "concurrent", "walk.idempotent"))
                    .build()
                    .run());
        }
    }

    private static void requireNoFailure(ConformanceReport report) {
        assertThat(report.results().stream()
                        .filter(one -> one.outcome() == CheckOutcome.FAILED)
                        .map(one -> one + " " + one.exchanges()))
                .isEmpty();
    }

    @Test
    void pluginThatConfirmsNothingIsNotAccusedOfSecondCapability() throws IOException {
        Supplier<Behaviour> silent = answer(
                ValidateVolumeCapabilitiesResponse.class,
                one -> one.toBuilder().clearConfirmed().build());
        try (FaultyFake fake = new FaultyFake(FakeCapability.csi113(), silent.get(), message -> message, false)) {
            ConformanceReport report = CsiConformance.builder(fake.endpoint())
                    .workDir(directory)
                    .only(List.of("create.two-modes"))
                    .build()
                    .run();
            assertThat(report.count(CheckOutcome.SKIPPED)).isEqualTo(1);
            assertThat(report.results().get(0).reason()).contains("does not confirm the usual capability");
        }
    }

    @Test
    void pluginWithOnlyVolumeCreationAndDeletionPasses() {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                .capabilities(Set.of(FakeCapability.CONTROLLER_SERVICE, FakeCapability.CREATE_DELETE_VOLUME))
                .build()
                .startInProcess()) {
            requireNoFailure(CsiConformance.builder("in-process:" + plugin.inProcessName())
                    .workDir(directory)
                    .build()
                    .run());
        }
    }

    @Test
    void pluginWithoutControllerPassesWithAnExistingVolume() {
        try (FakeCsiPlugin plugin =
                FakeCsiPlugin.builder().capabilities(Set.of()).build()) {
            plugin.storage().provision("made-by-hand", GIB);
            plugin.startInProcess();
            ConformanceReport report = CsiConformance.builder("in-process:" + plugin.inProcessName())
                    .workDir(directory)
                    .existingVolume("made-by-hand", Map.of())
                    .build()
                    .run();
            requireNoFailure(report);
            assertThat(report.results())
                    .filteredOn(one -> one.check().id().equals("walk.lifecycle"))
                    .allMatch(one -> one.outcome() == CheckOutcome.PASSED);
            assertThat(plugin.storage().volumeIds()).containsExactly("made-by-hand");
        }
    }

    @Test
    void pluginThatKeepsItsStatePassesAllRestarts() throws IOException {
        try (FaultyFake fake =
                new FaultyFake(FakeCapability.csi113(), Defect.none().get(), message -> message, false)) {
            ConformanceReport report = CsiConformance.builder(fake.endpoint())
                    .workDir(directory)
                    .restart(fake::restart)
                    .only(List.of("restart"))
                    .build()
                    .run();
            requireNoFailure(report);
            assertThat(report.count(CheckOutcome.PASSED))
                    .isEqualTo(report.results().size());
        }
    }

    @Test
    void pluginThatRequiresSecretsPassesSecretAndLifecycleChecks() throws IOException {
        Behaviour strict = call -> {
            var secrets = call.request().getDescriptorForType().findFieldByName("secrets");
            if (secrets != null && call.request().getRepeatedFieldCount(secrets) == 0) {
                throw Defect.error(Code.UNAUTHENTICATED);
            }
            return call.forward();
        };
        List<String> rpcs = List.of(
                "CreateVolume",
                "DeleteVolume",
                "ControllerPublishVolume",
                "NodeStageVolume",
                "NodePublishVolume",
                "CreateSnapshot",
                "ControllerExpandVolume",
                "ControllerModifyVolume");
        try (FaultyFake fake = new FaultyFake(FakeCapability.csi113(), strict, message -> message, false)) {
            ConformanceReport report = CsiConformance.builder(fake.endpoint())
                    .workDir(directory)
                    .mutableParameters(Map.of("iops", "3000"))
                    .secrets(Map.of("password", "correct-horse"))
                    .secretsRequired(rpcs)
                    .only(List.of("secrets", "walk.lifecycle"))
                    .build()
                    .run();
            requireNoFailure(report);
            assertThat(report.count(CheckOutcome.PASSED))
                    .isEqualTo(report.results().size());
        }
    }

    private ConformanceReport run(Behaviour behaviour, String... only) throws IOException {
        try (FaultyFake fake = new FaultyFake(FakeCapability.csi113(), behaviour, message -> message, false)) {
            return CsiConformance.builder(fake.endpoint())
                    .workDir(directory)
                    .mutableParameters(Map.of("iops", "3000"))
                    .timeout(Duration.ofSeconds(40))
                    .only(List.of(only))
                    .build()
                    .run();
        }
    }

    private static Map<String, CheckOutcome> outcomes(ConformanceReport report) {
        return report.results().stream()
                .collect(Collectors.toMap(result -> result.check().id(), CheckResult::outcome));
    }

    @Test
    void acceptedUnknownParameterLeavesChecksUndecided() throws IOException {
        ConformanceReport report = run(acceptsAllNames(), "modify", "create.bad-mutable-parameters");
        assertThat(report.results())
                .filteredOn(result -> result.reason().startsWith("not decided: "))
                .extracting(result -> result.check().id())
                .containsExactlyInAnyOrder(
                        "modify.bad-parameter", "modify.all-or-nothing", "create.bad-mutable-parameters");
    }

    @Test
    void freedomThatCallersRelyOnIsWarningWithMay() throws IOException {
        Behaviour withoutSource = answer(
                        CreateVolumeResponse.class,
                        one -> one.toBuilder()
                                .setVolume(one.getVolume().toBuilder().clearContentSource())
                                .build())
                .get();
        assertThat(run(withoutSource, "create.from-snapshot").results())
                .flatExtracting(CheckResult::findings)
                .extracting(Finding::basis)
                .containsExactly("MAY R57");
    }

    @Test
    void overlapOfSlowCallsIsAtMostWarning() throws IOException {
        ConformanceReport report = run(new OverlapIsInternal(), "replay", "concurrent");
        requireNoFailure(report);
        assertThat(outcomes(report))
                .containsEntry("concurrent.stage", CheckOutcome.WARNED)
                .containsEntry("concurrent.publish", CheckOutcome.WARNED);
        assertThat(report.results().stream().flatMap(result -> result.findings().stream()))
                .isNotEmpty()
                .allMatch(finding -> finding.basis().equals("SHOULD R27"));
    }

    @Test
    void errorThatDisappearsAfterCancelledCallIsWarning() throws IOException {
        Set<Message> lost = ConcurrentHashMap.newKeySet();
        Set<Message> begun = ConcurrentHashMap.newKeySet();
        ConformanceReport report = run(
                call -> {
                    if (!(call.request() instanceof NodePublishVolumeRequest)) {
                        return call.forward();
                    }
                    if (lost.remove(call.request())) {
                        throw Defect.error(Code.INTERNAL);
                    }
                    if (begun.add(call.request()) && call.cancelledWithin(500)) {
                        lost.add(call.request());
                    }
                    return call.forward();
                },
                "replay.publish");
        assertThat(report.results())
                .anySatisfy(result -> assertThat(result.toString())
                        .contains(
                                "replay.publish WARNED: NodePublishVolume answered INTERNAL while the call before it"));
        requireNoFailure(report);
    }

    @Test
    void pluginThatCannotRepeatUnpublishFailsChecksOfRepetitionsOnly() throws IOException {
        Behaviour once = call -> {
            if (call.request() instanceof NodeUnpublishVolumeRequest one
                    && !Files.exists(Path.of(one.getTargetPath()))) {
                throw Defect.error(Code.INTERNAL);
            }
            return call.forward();
        };
        ConformanceReport report = run(once, "walk", "unpublish");
        assertThat(outcomes(report))
                .containsEntry("walk.lifecycle", CheckOutcome.PASSED)
                .containsEntry("unpublish.twice", CheckOutcome.FAILED)
                .containsEntry("walk.idempotent", CheckOutcome.FAILED);
        CheckResult idempotent = report.results().stream()
                .filter(result -> result.check().id().equals("walk.idempotent"))
                .findFirst()
                .orElseThrow();
        assertThat(idempotent.findings())
                .extracting(Finding::text)
                .containsExactly("repetition 1 of NodeUnpublishVolume answered INTERNAL");
        assertThat(idempotent.exchanges()).extracting(Exchange::step).contains("NodeUnstageVolume", "DeleteVolume");
    }

    /** Each call that changes something takes a while. A second one for the same object at that time is INTERNAL. */
    private static final class OverlapIsInternal implements Behaviour {
        private static final int MILLIS = 20;
        private final Set<String> running = ConcurrentHashMap.newKeySet();

        @Override
        public Message answer(Call call) {
            String object = object(call.request());
            if (object.isEmpty()) {
                return call.forward();
            }
            if (!running.add(object)) {
                throw Defect.error(Code.INTERNAL);
            }
            try {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
                while (System.nanoTime() < end) {
                    LockSupport.parkNanos(end - System.nanoTime());
                }
                return call.forward();
            } finally {
                running.remove(object);
            }
        }

        private static String object(Message request) {
            for (String name : List.of("name", "volume_id", "snapshot_id", "group_snapshot_id")) {
                var field = request.getDescriptorForType().findFieldByName(name);
                if (field != null && !request.getField(field).toString().isEmpty()) {
                    return request.getField(field).toString();
                }
            }
            return "";
        }
    }
}

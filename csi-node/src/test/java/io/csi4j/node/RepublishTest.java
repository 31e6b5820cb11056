package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.plugin.RepublishOptions.Delivery;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.PublishTokenProvider.Token;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** NodePublishVolume with tokens, and its repetition while the volume is mounted. */
class RepublishTest {
    private static final String KEY = "csi.storage.k8s.io/serviceAccount.tokens";
    private static final String CANARY = "c4n4ry-t0k3n";
    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final Duration TENTH = Duration.ofMinutes(1);

    @TempDir
    private Path base;

    private Bench bench;
    private int issued;
    private Duration life = Duration.ofHours(1);

    private Bench bench(long seed) {
        bench = new Bench(base, seed, true);
        bench.tokens = this::issue;
        return bench;
    }

    private CompletableFuture<List<Token>> issue(PublishTokenProvider.Request request) {
        Instant expires = bench.time.instant().plus(life);
        issued++;
        return CompletableFuture.completedFuture(request.audiences().stream()
                .map(audience -> new Token(audience, CANARY + issued + audience, expires))
                .toList());
    }

    private static RepublishOptions options(Duration interval, Delivery delivery) {
        return new RepublishOptions(
                interval, List.of("sts.example.com"), Optional.of(Duration.ofHours(1)), delivery, interval.isZero());
    }

    private static RepublishOptions every(Duration interval) {
        return new RepublishOptions(interval, List.of(), Optional.empty(), Delivery.SECRETS, false);
    }

    private static NodeMount.Builder request(String volume, RepublishOptions options) {
        return Bench.request(volume, "a").republish(options);
    }

    private CompletableFuture<MountedVolume> mount(RepublishOptions options) {
        return bench.volumes.mount(request("v", options).build());
    }

    private List<NodePublishVolumeRequest> published() {
        return bench.node.publishRequests;
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow();
    }

    private NodeVolumeStatus.Use use() {
        return status().uses().get(0);
    }

    private List<NodeVolumeEvent> events(Kind kind) {
        return bench.events.stream().filter(event -> event.kind() == kind).toList();
    }

    private boolean isMounted() {
        return bench.node.mounts.contains(Path.of(bench.target("v", "a")));
    }

    private boolean anyUnpublished() {
        return bench.node.log.stream().anyMatch(line -> line.startsWith("NodeUnpublishVolume"));
    }

    /** Returns the bytes of all ledger files, as text. */
    private String ledger() {
        try (Stream<Path> files = Files.walk(base.resolve("ledger"))) {
            StringBuilder all = new StringBuilder();
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                all.append(file.getFileName())
                        .append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
            return all.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- tokens

    @ParameterizedTest
    @EnumSource(Delivery.class)
    void tokensAreInExactlyOneFieldAndNowhereElse(Delivery delivery) {
        bench(1);
        bench.secrets = (id, allocation) -> CompletableFuture.completedFuture(
                new MountSecrets(Secrets.empty(), Secrets.of(Map.of("user", "root"))));
        Instant start = bench.time.instant();
        bench.done(bench.volumes.mount(request("v", options(INTERVAL, delivery))
                .volumeContext(VolumeContext.of(Map.of("pool", "fast")))
                .publishSecrets(Secrets.of(Map.of("user", "root")))
                .build()));
        String expected = "{\"sts.example.com\":{\"token\":\"" + CANARY + "1sts.example.com\","
                + "\"expirationTimestamp\":\"" + start.plus(life) + "\"}}";
        NodePublishVolumeRequest request = published().get(0);
        Map<String, String> with = delivery == Delivery.SECRETS
                ? request.secrets().asMap()
                : request.volumeContext().asMap();
        Map<String, String> without = delivery == Delivery.SECRETS
                ? request.volumeContext().asMap()
                : request.secrets().asMap();
        assertThat(with).hasSize(2).containsKey(KEY);
        assertThat(with).containsEntry(KEY, expected);
        assertThat(without).hasSize(1);
        assertThat(bench.node.stageRequests.get(0).toString() + request).doesNotContain(CANARY);
        bench.node.fates = rpc -> Fate.REFUSED;
        bench.time.advance(Duration.ofHours(2));
        assertThat(published()).hasSizeGreaterThan(2);
        assertThat(ledger()).contains("sts.example.com").doesNotContain(CANARY);
        assertThat(bench.events.toString() + bench.volumes.volumes()).doesNotContain(CANARY);
        assertThat(issue(new PublishTokenProvider.Request(
                                Bench.id("v"), AllocationId.of("a"), List.of("b"), Optional.empty()))
                        .join()
                        .toString())
                .contains("b", "***")
                .doesNotContain(CANARY);
    }

    @Test
    void providerIsAskedWithTheVolumeTheAllocationAndTheAudiences() {
        bench(2);
        List<PublishTokenProvider.Request> asked = new ArrayList<>();
        bench.tokens = request -> {
            asked.add(request);
            return issue(request);
        };
        bench.done(mount(options(Duration.ZERO, Delivery.SECRETS)));
        assertThat(asked)
                .containsExactly(new PublishTokenProvider.Request(
                        Bench.id("v"),
                        AllocationId.of("a"),
                        List.of("sts.example.com"),
                        Optional.of(Duration.ofHours(1))));
        bench.time.advance(Duration.ofHours(3));
        assertThat(published()).as("tokens only at the mount").hasSize(1);
        assertThat(use().problem()).isEmpty();
    }

    private static Stream<Arguments> badProviders() {
        PublishTokenProvider fails = request -> CompletableFuture.failedFuture(new IllegalStateException(CANARY));
        PublishTokenProvider throwing = request -> {
            throw new IllegalStateException(CANARY);
        };
        PublishTokenProvider never = request -> new CompletableFuture<>();
        PublishTokenProvider none = PublishTokenProvider.none();
        PublishTokenProvider other = request -> CompletableFuture.completedFuture(
                List.of(new Token("other", CANARY, Instant.parse("2100-01-01T00:00:00Z"))));
        PublishTokenProvider old = request ->
                CompletableFuture.completedFuture(List.of(new Token("sts.example.com", CANARY, Instant.EPOCH)));
        PublishTokenProvider nothing = request -> CompletableFuture.completedFuture(null);
        return Stream.of(
                Arguments.of(fails, "failed with java.lang.IllegalStateException"),
                Arguments.of(throwing, "IllegalStateException"),
                Arguments.of(never, "not there within 1 min"),
                Arguments.of(none, "gave none for audience \"sts.example.com\""),
                Arguments.of(other, "gave none for audience \"sts.example.com\""),
                Arguments.of(old, "ran out at 1970-01-01T00:00:00Z"),
                Arguments.of(nothing, "failed with"));
    }

    @ParameterizedTest
    @MethodSource("badProviders")
    void mountWaitsWithAReasonUntilAllTokensAreThere(PublishTokenProvider provider, String reason) {
        bench(3);
        bench.tokens = provider;
        CompletableFuture<MountedVolume> mounted = mount(options(INTERVAL, Delivery.SECRETS));
        bench.time.advance(Duration.ofSeconds(90));
        assertThat(published()).isEmpty();
        assertThat(mounted).isNotDone();
        assertThat(status().lastError())
                .contains("nothing was sent", "PublishTokenProvider", reason)
                .doesNotContain(CANARY);
        bench.tokens = this::issue;
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(mounted).isCompleted();
        assertThat(published()).hasSize(1);
    }

    @Test
    void tokensForAKeyThatTheSecretsHaveAreRefused() {
        bench(4);
        Throwable refused = bench.failed(bench.volumes.mount(request("v", options(INTERVAL, Delivery.SECRETS))
                .publishSecrets(Secrets.of(Map.of(KEY, "mine")))
                .build()));
        assertThat(refused).hasMessageContaining("have the key " + KEY).hasMessageContaining("nothing was sent");
        assertThat(published()).isEmpty();
    }

    // ---- due times

    @Test
    void mountedVolumeIsPublishedAgainAtTheIntervalWithFreshTokens() {
        bench(5);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        bench.time.advance(Duration.ofHours(10));
        assertThat(published().size()).isBetween(1 + 54, 1 + 67);
        assertThat(published().stream()
                        .map(request -> request.secrets().asMap().get(KEY))
                        .distinct())
                .hasSize(published().size());
        assertThat(published().stream()
                        .map(request -> List.of(
                                request.volumeId(),
                                request.targetPath(),
                                request.stagingTargetPath(),
                                request.volumeCapability(),
                                request.publishContext(),
                                request.volumeContext(),
                                request.readonly()))
                        .distinct())
                .as("all else is equal")
                .hasSize(1);
        assertThat(anyUnpublished()).isFalse();
        assertThat(use().state()).isEqualTo(NodeVolumeStatus.State.MOUNTED);
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void tokenThatEndsEarlierIsRenewedBeforeItsEndAndNotWithinHalfAMinute() {
        bench(6);
        life = Duration.ofMinutes(5);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        bench.time.advance(Duration.ofHours(1));
        assertThat(published().size()).isBetween(1 + 13, 1 + 17);
        assertThat(events(Kind.CREDENTIAL_EXPIRED)).isEmpty();
        life = Duration.ofMillis(10);
        int before = published().size();
        bench.time.advance(Duration.ofHours(1));
        assertThat(published().size() - before).isBetween(100, 120);
    }

    @Test
    void volumeWithoutAnIntervalIsPublishedOnce() {
        bench(7);
        bench.done(mount(RepublishOptions.none()));
        int timers = bench.time.timers();
        bench.time.advance(Duration.ofDays(1));
        assertThat(published()).hasSize(1);
        assertThat(bench.time.timers()).isEqualTo(timers);
    }

    @ParameterizedTest
    @ValueSource(longs = {-100, 100})
    void clockThatIsSetMovesNoRepetition(long days) {
        bench(8);
        bench.done(mount(every(INTERVAL)));
        bench.time.setClock(Duration.ofDays(days));
        bench.time.advance(INTERVAL.multipliedBy(8).dividedBy(10));
        assertThat(published()).hasSize(1);
        bench.time.advance(Duration.ofHours(10));
        assertThat(published().size()).isBetween(1 + 54, 1 + 67);
        // A process that reads the ledger with another clock waits for an interval at most.
        bench.time.setClock(Duration.ofDays(-days));
        bench.restart();
        int before = published().size();
        bench.time.advance(INTERVAL.plus(TENTH).plus(TENTH));
        assertThat(published()).hasSizeGreaterThan(before);
    }

    @Test
    void changedIntervalAndDeliveryCountFromTheNextCall() {
        bench(9);
        bench.done(mount(options(INTERVAL, Delivery.VOLUME_CONTEXT)));
        bench.done(mount(options(Duration.ofMinutes(1), Delivery.SECRETS)));
        assertThat(published().get(1).secrets().asMap()).containsKey(KEY);
        assertThat(published().get(1).volumeContext().asMap()).doesNotContainKey(KEY);
        int before = published().size();
        bench.time.advance(Duration.ofMinutes(20));
        assertThat(published().size() - before).isBetween(17, 23);
        bench.done(mount(RepublishOptions.none()));
        int last = published().size();
        bench.time.advance(Duration.ofHours(5));
        assertThat(published()).hasSize(last);
    }

    // ---- failures

    @ParameterizedTest
    @EnumSource(value = Fate.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
    void failedRepetitionKeepsTheMountAndIsTriedAgain(Fate fate) {
        bench(10);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        String before = ledger();
        bench.node.fates = rpc -> fate;
        bench.time.advance(Duration.ofHours(2));
        boolean unknown = Stream.of(Fate.LOST_ANSWER, Fate.NOT_DONE, Fate.LATE, Fate.UNAVAILABLE, Fate.ABORTED)
                .anyMatch(fate::equals);
        if (!unknown) {
            assertThat(ledger()).isEqualTo(before);
        }
        assertThat(anyUnpublished()).isFalse();
        assertThat(isMounted()).isTrue();
        assertThat(use().state()).isEqualTo(NodeVolumeStatus.State.MOUNTED);
        assertThat(use().problem()).startsWith("CREDENTIAL_EXPIRED").contains("without success");
        assertThat(events(Kind.CREDENTIAL_EXPIRED)).hasSize(1);
        int failures = events(Kind.REPUBLISH_FAILED).size();
        // Half a second, one, two, ... up to the interval.
        assertThat(failures).isBetween(18, 24);
        assertThat(status().unfinishedFor()).isZero();
        bench.node.fates = rpc -> Fate.OK;
        bench.time.advance(INTERVAL.plus(TENTH).plus(TENTH));
        assertThat(use().problem()).isEmpty();
        assertThat(events(Kind.REPUBLISH_FAILED)).hasSize(failures);
        assertThat(bench.done(bench.unmount("v", "a"))).isNull();
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void missingPluginFailsTheRepetitionAndNothingElse() {
        bench(11);
        bench.done(mount(every(INTERVAL)));
        bench.node.there = false;
        bench.time.advance(Duration.ofMinutes(20));
        assertThat(use().problem()).contains("its plugin is not there");
        assertThat(use().state()).isEqualTo(NodeVolumeStatus.State.MOUNTED);
        bench.node.there = true;
        bench.time.advance(INTERVAL.plus(TENTH));
        assertThat(published()).hasSizeGreaterThan(1);
        assertThat(use().problem()).isEmpty();
    }

    @Test
    void issuerThatFailsForHalfAnHourOverARestartIsAskedAgainWithinTheInterval() {
        bench(12);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        bench.tokens = request -> CompletableFuture.failedFuture(new IllegalStateException());
        bench.time.advance(Duration.ofMinutes(20));
        bench.restart();
        bench.time.advance(Duration.ofMinutes(20));
        assertThat(published()).hasSize(1);
        bench.tokens = this::issue;
        bench.time.advance(INTERVAL.plus(TENTH));
        assertThat(published()).hasSize(2);
        assertThat(anyUnpublished()).isFalse();
    }

    // ---- restarts

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12})
    void processThatEndsAnywhereInARepetitionRepeatsItAfterItsStart(int millis) {
        bench(13);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        while (published().size() == 1) {
            bench.time.advance(Duration.ofMillis(1));
        }
        bench.time.advance(Duration.ofMillis(millis));
        bench.restart();
        bench.time.advance(INTERVAL.plus(TENTH));
        int after = published().size();
        assertThat(after).isBetween(3, 4);
        bench.time.advance(Duration.ofHours(1));
        assertThat(published().size() - after).isBetween(5, 7);
        assertThat(anyUnpublished()).isFalse();
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void volumeWhoseFirstPublicationHadNoAnswerIsPublishedAgainLaterToo() {
        bench(14);
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.LOST_ANSWER : Fate.OK;
        var unused = mount(every(INTERVAL));
        while (published().isEmpty()) {
            bench.time.advance(Duration.ofMillis(1));
        }
        bench.crash();
        bench.node.fates = rpc -> Fate.OK;
        bench.open();
        bench.done(mount(every(INTERVAL)));
        int before = published().size();
        bench.time.advance(Duration.ofHours(1));
        assertThat(published().size() - before).isBetween(5, 7);
    }

    // ---- unmounts

    @Test
    void unmountWaitsForTheRepetitionInFlightAndNoneFollows() {
        bench(15);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        while (published().size() == 1) {
            bench.time.advance(Duration.ofMillis(1));
        }
        int calls = bench.node.log.size();
        CompletableFuture<Void> unmounted = bench.unmount("v", "a");
        bench.done(unmounted);
        assertThat(bench.node.log.subList(calls - 1, bench.node.log.size()))
                .containsExactly("NodePublishVolume a OK", "NodeUnpublishVolume a OK", "NodeUnstageVolume mount-5 OK");
        bench.time.advance(Duration.ofDays(1));
        assertThat(published()).hasSize(2);
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void repetitionThatWaitsForTokensIsNotSentOnceTheMountHasToEnd() {
        bench(16);
        bench.done(mount(options(INTERVAL, Delivery.SECRETS)));
        CompletableFuture<List<Token>> tokens = new CompletableFuture<>();
        List<PublishTokenProvider.Request> asked = new ArrayList<>();
        bench.tokens = request -> {
            asked.add(request);
            return tokens;
        };
        while (asked.isEmpty()) {
            bench.time.advance(Duration.ofMillis(1));
        }
        CompletableFuture<Void> unmounted = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(anyUnpublished()).isFalse();
        tokens.complete(issue(asked.get(0)).join());
        bench.done(unmounted);
        assertThat(published()).hasSize(1);
        assertThat(events(Kind.REPUBLISH_FAILED)).isEmpty();
    }

    // ---- mounts that the plugin changes

    @ParameterizedTest
    @ValueSource(strings = {"removes", "replaces", "covers", "fails"})
    void mountThatThePluginChangesIsReportedAndGivenToNoNewProcess(String how) {
        bench(17);
        bench.done(mount(every(INTERVAL)));
        bench.node.afterPublish = target -> {
            switch (how) {
                case "removes", "fails" -> bench.node.unmount(target);
                case "replaces" -> bench.node.ids.merge(target, 1, Integer::sum);
                default -> bench.node.layers.merge(target, 1, Integer::sum);
            }
        };
        if (how.equals("fails")) {
            bench.node.fates = rpc -> Fate.LOST_ANSWER;
        }
        bench.time.advance(INTERVAL.plus(TENTH));
        assertThat(events(Kind.MOUNT_CHANGED)).hasSize(1);
        assertThat(use().problem()).startsWith("MOUNT_CHANGED");
        assertThat(use().state()).isEqualTo(NodeVolumeStatus.State.MOUNTED);
        bench.node.afterPublish = target -> {};
        bench.node.fates = rpc -> Fate.OK;
        int calls = bench.node.log.size();
        for (boolean restarts : new boolean[] {false, true}) {
            if (restarts) {
                bench.restart();
            }
            bench.time.advance(Duration.ofHours(1));
            var unusedCheck = bench.volumes.check();
            bench.time.advance(Duration.ofMinutes(1));
            assertThat(use().problem()).startsWith("MOUNT_CHANGED");
            Throwable refused = bench.failed(mount(every(INTERVAL)));
            assertThat(refused)
                    .isInstanceOfSatisfying(
                            NodeVolumeException.class,
                            e -> assertThat(e.reason()).isEqualTo(NodeVolumeException.Reason.MOUNT_CHANGED))
                    .hasMessageContaining("unmount the volume and mount it again");
        }
        assertThat(bench.node.log).as("nothing is mounted again").hasSize(calls);
        bench.done(bench.unmount("v", "a"));
        bench.done(mount(every(INTERVAL)));
        assertThat(use().problem()).isEmpty();
    }

    @Test
    void requestThatWaitsForTheRepetitionGetsNoChangedMount() {
        bench(18);
        bench.done(mount(every(INTERVAL)));
        bench.node.afterPublish = bench.node::unmount;
        while (published().size() == 1) {
            bench.time.advance(Duration.ofMillis(1));
        }
        Throwable refused = bench.failed(mount(every(INTERVAL)));
        assertThat(refused).hasMessageContaining("changed or removed the mount");
    }

    @Test
    void changedMountIsMadeAgainAfterAReboot() {
        bench(19);
        bench.done(mount(every(INTERVAL)));
        bench.node.afterPublish = bench.node::unmount;
        bench.time.advance(INTERVAL.plus(TENTH));
        bench.node.afterPublish = target -> {};
        bench.crash();
        bench.node.reboot();
        bench.open();
        bench.done(mount(every(INTERVAL)));
        assertThat(isMounted()).isTrue();
        assertThat(use().problem()).isEmpty();
    }

    // ---- many mounts

    @Test
    void manyMountsAreSpreadAndFewAreCalledAtOnce() {
        bench(20);
        List<CompletableFuture<MountedVolume>> mounts = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            mounts.add(bench.volumes.mount(request("v" + i, every(INTERVAL)).build()));
        }
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(mounts).allMatch(CompletableFuture::isDone);
        bench.node.mostPublishing = 0;
        int before = published().size();
        bench.time.advance(Duration.ofHours(2));
        assertThat(published().size() - before).isBetween(60 * 10, 60 * 14);
        assertThat(bench.node.mostPublishing).isBetween(1, 4);
        // All at once: the agent was down for long.
        bench.crash();
        bench.time.advance(Duration.ofHours(1));
        int after = published().size();
        bench.node.mostPublishing = 0;
        bench.open();
        bench.time.advance(Duration.ofSeconds(2));
        assertThat(published().size() - after).isEqualTo(60);
        assertThat(bench.node.mostPublishing).isEqualTo(4);
        assertThat(bench.node.violations).isEmpty();
    }
}

package io.csi4j.core.lifecycle.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.UnusedLog;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.claim.PendingClaim.Blocked;
import io.csi4j.core.lifecycle.internal.claim.PendingClaim.HeldBack;
import io.csi4j.core.lifecycle.internal.claim.PendingClaim.Precedence;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Random requests for two volumes, compared with a queue that reads all earlier requests each time. */
class WaitingListsTest {
    private static final List<VolumeKey> VOLUMES = List.of(VolumeKey.of("default", "v"), VolumeKey.of("default", "w"));
    private static final List<RequestedCapability> CAPABILITIES = List.of(
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY),
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER));

    private final EnginePorts ports = TestPorts.of(new UnusedLog(), VirtualTime.inOrder());
    private final RandomGenerator random = new Random(Long.getLong("csi4j.seed", 1));
    private final WaitingLists lists = new WaitingLists();
    private final List<PendingClaim> all = new ArrayList<>();
    private final Set<PendingClaim> decided = new HashSet<>();
    private int requests;

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private ClaimRequest request(VolumeKey key) {
        ClaimMode mode = random.nextInt(3) == 0 ? ClaimMode.WRITE : ClaimMode.READ;
        return ClaimRequest.of(key, mode, pick(CAPABILITIES));
    }

    private PendingClaim arrival() {
        List<ClaimRequest> wanted =
                random.nextInt(3) == 0 ? VOLUMES.stream().map(this::request).toList() : List.of(request(pick(VOLUMES)));
        requests++;
        return new PendingClaim(Caller.ENGINE, AllocationId.of("a" + requests), wanted, ports.moment());
    }

    /** Some later reads stand in the way of some earlier requests: as if both were for one node. */
    private static boolean inTheWay(PendingClaim later, PendingClaim earlier) {
        return (later.position + earlier.position) % 3 == 0;
    }

    /** Returns the wait of a request as the rules say it. */
    private Optional<HeldBack> ahead(PendingClaim claim, VolumeKey key) {
        ClaimRequest request = claim.on(key).orElseThrow();
        boolean shared = PendingClaim.isShared(request);
        for (PendingClaim other : all) {
            if (other.position >= claim.position || other.on(key).isEmpty()) {
                continue;
            }
            Precedence precedence = other.precedence(key);
            boolean same =
                    request.capability().equals(other.on(key).orElseThrow().capability());
            boolean held = switch (precedence) {
                case NONE -> false;
                case OVER_WRITES -> !shared || !same;
                case OVER_READONLY_ATTACHMENTS, OVER_READS_ON_NODE -> !shared || !same || inTheWay(claim, other);
                case OVER_ALL -> true;
            };
            assertThat(other.mustPrecede(claim, key, inTheWay(claim, other)))
                    .as("%s before %s", precedence, request)
                    .isEqualTo(held);
            if (held) {
                return Optional.of(new HeldBack(key, shared ? other : null));
            }
        }
        return Optional.empty();
    }

    private Optional<PendingClaim> oldestHolder(VolumeKey key) {
        return all.stream()
                .filter(claim -> claim.on(key).isPresent() && claim.precedence(key) != Precedence.NONE)
                .findFirst();
    }

    /** Decides requests, and all that have to be decided again because of that, as the queue does. */
    private void decide(Set<PendingClaim> first) {
        Deque<PendingClaim> retries = new ArrayDeque<>(first);
        while (!retries.isEmpty()) {
            PendingClaim claim = retries.remove();
            if (!all.contains(claim) || claim.asking || claim.inVain) {
                continue;
            }
            decided.add(claim);
            claim.heldBack = claim.requests.stream()
                    .map(ClaimRequest::volume)
                    .flatMap(key -> lists.ahead(claim, key, other -> inTheWay(claim, other)).stream())
                    .findFirst()
                    .orElse(null);
            if (!claim.isHeldBack()) {
                decideWithoutOthers(claim);
            }
            retries.addAll(lists.update(claim));
        }
    }

    private void decideWithoutOthers(PendingClaim claim) {
        claim.blocked = null;
        switch (random.nextInt(4)) {
            case 0 -> claim.asking = true;
            case 1 -> claim.inVain = true;
            default ->
                claim.blocked = new Blocked(
                        pick(claim.requests).volume(),
                        new AdmissionDecision.Wait(pick(List.of(WaitReason.values())), List.of(), "busy"));
        }
    }

    /** The log has answered: the request is granted or refused, or it waits. */
    private void answered(PendingClaim claim) {
        claim.asking = false;
        claim.inVain = false;
        if (random.nextBoolean()) {
            all.remove(claim);
            decide(lists.remove(claim));
            return;
        }
        claim.blocked = new Blocked(
                pick(claim.requests).volume(),
                new AdmissionDecision.Wait(WaitReason.CLAIMED_ON_OTHER_NODE, List.of(), "held"));
        decide(lists.update(claim));
    }

    @Test
    void listsAnswerLikeAQueueThatReadsAllEarlierRequests() {
        int held = 0;
        for (int i = 0; i < 1_500; i++) {
            if (all.isEmpty() || (all.size() < 12 && random.nextBoolean())) {
                PendingClaim claim = arrival();
                boolean alone = all.stream()
                        .noneMatch(other -> claim.requests.stream()
                                .anyMatch(request -> other.on(request.volume()).isPresent()));
                assertThat(lists.add(claim)).isEqualTo(alone);
                all.add(claim);
                decide(Set.of(claim));
            } else {
                PendingClaim claim = pick(all);
                switch (random.nextInt(3)) {
                    case 0 -> {
                        all.remove(claim);
                        decide(lists.remove(claim));
                        assertThat(lists.remove(claim)).isEmpty();
                        assertThat(lists.update(claim)).isEmpty();
                    }
                    case 1 -> decide(Set.of(claim));
                    default -> answered(claim);
                }
            }
            compare();
            held += (int) all.stream().filter(PendingClaim::isHeldBack).count();
        }
        assertThat(held).as("requests that waited behind others").isGreaterThan(1_500);
        for (PendingClaim claim : List.copyOf(all)) {
            all.remove(claim);
            decide(lists.remove(claim));
        }
        assertThat(lists.all()).isEmpty();
        assertThat(lists.add(arrival())).as("alone again").isTrue();
        lists.all().forEach(lists::remove);
        VOLUMES.forEach(key -> assertThat(lists.of(key)).isEmpty());
    }

    private void compare() {
        assertThat(lists.all()).containsExactlyInAnyOrderElementsOf(all);
        for (VolumeKey key : VOLUMES) {
            List<PendingClaim> here =
                    all.stream().filter(claim -> claim.on(key).isPresent()).toList();
            assertThat(lists.size(key)).isEqualTo(here.size());
            assertThat(lists.of(key))
                    .extracting(WaitingClaim::allocationId)
                    .containsExactlyElementsOf(
                            here.stream().map(claim -> claim.allocationId).toList());
            assertThat(lists.behindAll(key))
                    .containsExactlyElementsOf(here.stream()
                            .filter(claim -> new HeldBack(key, null).equals(claim.heldBack))
                            .toList());
            for (PendingClaim claim : here) {
                assertThat(lists.ahead(claim, key, other -> inTheWay(claim, other)))
                        .isEqualTo(ahead(claim, key));
            }
            assertThat(oldestHolder(key).map(claim -> claim.heldBack))
                    .as("the oldest request that holds back others waits behind none for this volume")
                    .isNotEqualTo(Optional.of(new HeldBack(key, null)));
        }
        all.forEach(this::compare);
    }

    private void compare(PendingClaim claim) {
        HeldBack wait = claim.heldBack;
        WaitingClaim shown = lists.show(claim);
        assertThat(shown.requests()).isEqualTo(claim.requests);
        assertThat(shown.since()).isEqualTo(claim.since.time());
        if (wait == null) {
            assertThat(shown.volume())
                    .isEqualTo(Optional.ofNullable(claim.blocked).map(Blocked::volume));
            assertThat(shown.reason())
                    .isEqualTo(Optional.ofNullable(claim.blocked).map(Blocked::decision));
            assertThat(shown.behind()).isEmpty();
            return;
        }
        PendingClaim by = wait.by();
        assertThat(by == null || all.contains(by))
                .as("the request ahead is still there")
                .isTrue();
        if (by != null) {
            assertThat(ahead(claim, wait.volume()))
                    .as("a read waits behind a request only as long as it has to")
                    .isPresent();
        }
        Optional<PendingClaim> first =
                Optional.ofNullable(by).or(() -> oldestHolder(wait.volume())).filter(other -> other != claim);
        assertThat(shown.volume()).contains(wait.volume());
        assertThat(shown.behind()).isEqualTo(first.map(other -> other.allocationId));
        assertThat(shown.reason())
                .isEqualTo(first.map(other -> other.blocked)
                        .filter(blocked -> blocked.volume().equals(wait.volume()))
                        .map(Blocked::decision));
    }
}

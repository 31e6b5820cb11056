package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private static final RequestedCapability CAPABILITY =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    private static Claim claim(int allocation, int node, ClaimMode mode) {
        return Claim.builder(AllocationId.of("a" + allocation), NodeId.of("n" + node), mode, CAPABILITY)
                .build();
    }

    private static void agree(Claims claims, Collection<Claim> model) {
        assertThat(claims).containsExactlyElementsOf(model);
        assertThat(claims.size()).isEqualTo(model.size());
        assertThat(claims.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(claims.writers())
                .isEqualTo(
                        model.stream().filter(c -> c.mode() == ClaimMode.WRITE).count());
        assertThat(claims.readers())
                .isEqualTo(
                        model.stream().filter(c -> c.mode() == ClaimMode.READ).count());
        for (ClaimState state : ClaimState.values()) {
            assertThat(claims.count(state))
                    .isEqualTo(model.stream().filter(c -> c.state() == state).count());
        }
        assertThat(claims.notNodeDetached())
                .isEqualTo(model.stream().filter(c -> !c.nodeDetached()).count());
        List<NodeId> nodes =
                model.stream().map(Claim::nodeId).distinct().sorted().toList();
        assertThat(claims.nodeIds()).isEqualTo(nodes);
        assertThat(claims.nodeCount()).isEqualTo(nodes.size());
        assertThat(claims.writerNodeCount())
                .isEqualTo(model.stream()
                        .filter(c -> c.mode() == ClaimMode.WRITE)
                        .map(Claim::nodeId)
                        .distinct()
                        .count());
        assertThat(claims.holders()).isEqualTo(model.stream().map(Holder::of).toList());
        assertThat(claims.capability())
                .isEqualTo(model.stream().map(Claim::capability).findFirst());
    }

    @Test
    void claimsBehaveLikeTreeMapInRandomRuns() {
        long seed = Long.getLong("csi4j.seed", 1);
        System.out.println("ClaimsTest seed " + seed);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        for (int nodeRange : new int[] {1, 2, 4, 40}) {
            Claims claims = Claims.empty();
            TreeMap<AllocationId, Claim> model = new TreeMap<>();
            for (int i = 0; i < 1500; i++) {
                Claims before = claims;
                List<Claim> was = List.copyOf(model.values());
                // Shrinks now and then, so that claims come down to one node and to none again.
                if (random.nextInt(10) < (i % 500 < 350 ? 7 : 2)) {
                    Claim claim = claim(
                                    random.nextInt(60),
                                    random.nextInt(nodeRange),
                                    random.nextBoolean() ? ClaimMode.READ : ClaimMode.WRITE)
                            .toBuilder()
                            .state(List.of(ClaimState.values()).get(random.nextInt(4)))
                            .operatorOverride(
                                    random.nextInt(5) == 0 ? new OperatorOverride("who", "why", Instant.EPOCH) : null)
                            .build();
                    claims = claims.with(claim);
                    model.put(claim.allocationId(), claim);
                } else {
                    AllocationId gone = AllocationId.of("a" + random.nextInt(60));
                    claims = claims.without(gone);
                    model.remove(gone);
                }
                agree(claims, model.values());
                assertThat(before).containsExactlyElementsOf(was);
                NodeId node = NodeId.of("n" + random.nextInt(nodeRange));
                agree(
                        claims.on(node),
                        model.values().stream()
                                .filter(c -> c.nodeId().equals(node))
                                .toList());
                AllocationId some = AllocationId.of("a" + random.nextInt(60));
                assertThat(claims.get(some).orElse(null)).isEqualTo(model.get(some));
                List<String> reported = new ArrayList<>();
                claims.changesSince(before, (old, now) -> reported.add(old + ">" + now));
                assertThat(reported).hasSizeLessThanOrEqualTo(1);
                assertThat(reported.isEmpty()).isEqualTo(was.equals(List.copyOf(model.values())));
            }
        }
    }

    @Test
    void collectionsWithSameClaimsAreEqualDespiteDifferentHistory() {
        List<Claim> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(claim(i, i % 3, i % 7 == 0 ? ClaimMode.WRITE : ClaimMode.READ));
        }
        Claims straight = Claims.of(all);
        List<Claim> reversed = new ArrayList<>(all);
        Collections.reverse(reversed);
        Claims backwards =
                Claims.of(reversed).with(claim(99, 9, ClaimMode.WRITE)).without(AllocationId.of("a99"));
        assertThat(backwards).isEqualTo(straight).hasSameHashCodeAs(straight);
        assertThat(straight.without(AllocationId.of("a1"))).isNotEqualTo(straight);
    }

    @Test
    void removingMissingClaimReturnsSameObject() {
        Claims claims = Claims.of(List.of(claim(1, 1, ClaimMode.READ)));
        assertThat(claims.without(AllocationId.of("a2"))).isSameAs(claims);
        assertThat(claims.without(AllocationId.of("a1"))).isSameAs(Claims.empty());
        assertThat(claims.on(NodeId.of("n1"))).isSameAs(claims);
    }

    /** An array of 10,000 references alone would be 40,000 bytes. */
    @Test
    void addingClaimToTenThousandClaimsCopiesOnlyOneTreePath() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Claims spread = Claims.empty();
        Claims together = Claims.empty();
        for (int i = 0; i < 10_000; i++) {
            spread = spread.with(claim(i, i, ClaimMode.READ));
            together = together.with(claim(i, 0, ClaimMode.READ));
        }
        Claim another = claim(123_456, 123_456, ClaimMode.READ);
        for (Claims claims : List.of(spread, together)) {
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 100; i++) {
                assertThat(claims.with(another).size() == 10_001).isTrue();
            }
            long bytes = (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / 100;
            assertThat(bytes).as("bytes per claim").isLessThan(10_000);
        }
    }
}

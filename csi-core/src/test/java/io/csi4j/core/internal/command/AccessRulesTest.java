package io.csi4j.core.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AccessRulesTest {
    private static final int NODES = 3;
    private static final int MAX_SIZE = 4;

    private record Use(ClaimMode mode, int node) {}

    /** The modes in plain words, by who reads and writes where. */
    private static boolean allowed(VolumeAccessMode mode, List<Use> uses) {
        Set<Integer> nodes = uses.stream().map(Use::node).collect(Collectors.toSet());
        List<Use> writers =
                uses.stream().filter(use -> use.mode() == ClaimMode.WRITE).toList();
        Set<Integer> writerNodes = writers.stream().map(Use::node).collect(Collectors.toSet());
        return switch (mode) {
            case UNKNOWN -> uses.isEmpty();
            case SINGLE_NODE_WRITER -> uses.size() <= 1;
            case SINGLE_NODE_READER_ONLY -> uses.size() <= 1 && writers.isEmpty();
            case MULTI_NODE_READER_ONLY -> writers.isEmpty();
            case MULTI_NODE_SINGLE_WRITER -> writerNodes.size() <= 1;
            case MULTI_NODE_MULTI_WRITER -> true;
            case SINGLE_NODE_SINGLE_WRITER -> uses.size() <= 1;
            case SINGLE_NODE_MULTI_WRITER -> nodes.size() <= 1;
        };
    }

    private static List<Use> anyUse() {
        List<Use> all = new ArrayList<>();
        for (ClaimMode mode : ClaimMode.values()) {
            for (int node = 0; node < NODES; node++) {
                all.add(new Use(mode, node));
            }
        }
        return all;
    }

    private static Claims claims(VolumeAccessMode mode, List<Use> uses) {
        Claims claims = Claims.empty();
        for (int i = 0; i < uses.size(); i++) {
            claims = claims.with(Claim.builder(
                            AllocationId.of("a" + i),
                            NodeId.of("n" + uses.get(i).node()),
                            uses.get(i).mode(),
                            RequestedCapability.mount(mode))
                    .build());
        }
        return claims;
    }

    /** Every set of claims up to four on three nodes, and every claim that could join. */
    @ParameterizedTest
    @EnumSource(VolumeAccessMode.class)
    void claimIsAllowedExactlyIfAllClaimsTogetherSatisfyAccessMode(VolumeAccessMode mode) {
        List<List<Use>> sets = new ArrayList<>();
        sets.add(List.of());
        int checked = 0;
        for (int size = 0; size <= MAX_SIZE; size++) {
            List<List<Use>> larger = new ArrayList<>();
            for (List<Use> uses : sets) {
                Claims claims = claims(mode, uses);
                assertThat(AccessRules.satisfied(claims))
                        .as("%s %s", mode, uses)
                        .isEqualTo(allowed(mode, uses));
                for (Use use : anyUse()) {
                    List<Use> together = new ArrayList<>(uses);
                    together.add(use);
                    larger.add(together);
                    if (allowed(mode, uses)) {
                        checked++;
                        assertThat(AccessRules.verdict(mode, claims, use.mode(), NodeId.of("n" + use.node()))
                                        == AccessRules.Verdict.FREE)
                                .as("%s joins %s as %s", use, uses, mode)
                                .isEqualTo(allowed(mode, together));
                    }
                }
            }
            sets = larger;
        }
        assertThat(checked).isPositive();
    }

    @ParameterizedTest
    @EnumSource(VolumeAccessMode.class)
    void claimsWithDifferentCapabilitiesNeverSatisfyAccessMode(VolumeAccessMode mode) {
        VolumeAccessMode other = mode == VolumeAccessMode.MULTI_NODE_READER_ONLY
                ? VolumeAccessMode.MULTI_NODE_MULTI_WRITER
                : VolumeAccessMode.MULTI_NODE_READER_ONLY;
        Claims claims = claims(mode, List.of(new Use(ClaimMode.READ, 0)))
                .with(Claim.builder(
                                AllocationId.of("b"), NodeId.of("n0"), ClaimMode.READ, RequestedCapability.mount(other))
                        .build());
        assertThat(AccessRules.satisfied(claims)).isFalse();
    }
}

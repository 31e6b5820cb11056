package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.Bench;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class VolumeEntryTest {
    private static final UseId A = UseId.first(AllocationId.of("a"));
    private static final UseId B = UseId.first(AllocationId.of("b"));
    private static final UnmountOrder ORDER = new UnmountOrder("alice", "the driver was killed", 1);
    private static final Set<UsePhase> BEFORE_ANSWER = EnumSet.of(UsePhase.WANTED, UsePhase.PUBLISHING);
    private static final Set<UsePhase> ENDING = EnumSet.of(UsePhase.RESETTING, UsePhase.LEAVING);

    private static UseEntry use(UseId id, UsePhase phase) {
        return new UseEntry(
                id, MountTerms.UNKNOWN, phase, "boot", true, HadSecrets.NONE, true, ORDER, true, Renewal.NONE);
    }

    private static VolumeEntry entry(UseEntry... uses) {
        return new VolumeEntry(Bench.id("v").volume(), Bench.id("v"), null, List.of(uses), false, 0);
    }

    private static VolumeEntry staged(StagingPhase phase, UseEntry... uses) {
        return entry(uses).staged(new StagingEntry(MountTerms.UNKNOWN, phase, "boot", true));
    }

    @Test
    void nextPhaseKeepsOnlyTheFactsThatStayTrue() {
        for (UsePhase from : UsePhase.values()) {
            for (UsePhase to : UsePhase.values()) {
                UseEntry next = use(A, from).in(to);
                assertThat(next.phase()).isEqualTo(to);
                assertThat(next.mayRun())
                        .as("%s to %s", from, to)
                        .isEqualTo(BEFORE_ANSWER.contains(from) && to == UsePhase.PUBLISHING);
                assertThat(next.order()).isEqualTo(to == UsePhase.LEAVING ? ORDER : null);
                assertThat(next.answered())
                        .as("%s to %s", from, to)
                        .isEqualTo(!BEFORE_ANSWER.contains(from) && ENDING.contains(to));
                UseEntry unanswered = new UseEntry(A, MountTerms.UNKNOWN, from, "boot", true).in(to);
                assertThat(unanswered.mayRun()).isFalse();
                assertThat(unanswered.answered()).isEqualTo(from.published() && ENDING.contains(to));
            }
        }
    }

    private static Set<UsePhase> phases(Predicate<VolumeEntry> rule) {
        Set<UsePhase> phases = EnumSet.noneOf(UsePhase.class);
        for (UsePhase phase : UsePhase.values()) {
            if (rule.test(entry(use(A, phase)))) {
                phases.add(phase);
            }
        }
        return phases;
    }

    @Test
    void phaseOfUseDecidesAboutTheVolume() {
        assertThat(phases(VolumeEntry::anyMayBePublished)).isEqualTo(EnumSet.complementOf(EnumSet.of(UsePhase.WANTED)));
        assertThat(phases(VolumeEntry::isUnmounting)).containsExactly(UsePhase.LEAVING);
        assertThat(phases(entry -> !entry.living().isEmpty()))
                .isEqualTo(EnumSet.complementOf(EnumSet.of(UsePhase.LEAVING)));
        assertThat(phases(entry -> entry.leave(A).uses().isEmpty())).containsExactly(UsePhase.WANTED);
        assertThat(phases(entry -> !entry.resetUse(A).equals(entry)))
                .containsExactly(UsePhase.PUBLISHING, UsePhase.OWNERSHIP, UsePhase.PUBLISHED);
        UseEntry published = use(A, UsePhase.PUBLISHED);
        assertThat(staged(StagingPhase.UNSTAGING, published).isUnmounting()).isTrue();
        assertThat(staged(StagingPhase.STAGED, published).isUnmounting()).isFalse();
        assertThat(staged(StagingPhase.STAGED).isUnmounting()).isTrue();
        assertThat(entry().isUnmounting()).isFalse();
        assertThat(entry().hasNothing()).isTrue();
        assertThat(entry(published).hasNothing()).isFalse();
        assertThat(staged(StagingPhase.STAGED).hasNothing()).isFalse();
    }

    @Test
    void usesAreFoundReplacedAndRemovedById() {
        VolumeEntry both = entry(use(A, UsePhase.PUBLISHED), use(B, UsePhase.PUBLISHED));
        assertThat(both.without(A).uses()).containsExactly(use(B, UsePhase.PUBLISHED));
        assertThat(both.with(use(B, UsePhase.WANTED)).uses())
                .containsExactly(use(A, UsePhase.PUBLISHED), use(B, UsePhase.WANTED));
        assertThat(entry(use(A, UsePhase.PUBLISHED))
                        .with(use(B, UsePhase.WANTED))
                        .uses())
                .extracting(UseEntry::id)
                .containsExactly(A, B);
        assertThat(both.usesOf(B.allocationId())).containsExactly(use(B, UsePhase.PUBLISHED));
        assertThat(entry().leave(A)).isEqualTo(entry());
        assertThat(entry().change(A, use -> use.in(UsePhase.LEAVING))).isEqualTo(entry());
    }

    @Test
    void resetRemovesStagingAndAllTargets() {
        VolumeEntry reset = staged(StagingPhase.STAGED, use(A, UsePhase.PUBLISHED), use(B, UsePhase.PUBLISHING))
                .reset();
        assertThat(reset.uses()).extracting(UseEntry::phase).containsOnly(UsePhase.RESETTING);
        assertThat(reset.staging()).isNotNull();
        assertThat(reset.staging().phase()).isEqualTo(StagingPhase.UNSTAGING);
        assertThat(entry(use(A, UsePhase.PUBLISHED)).reset().staging()).isNull();
    }
}

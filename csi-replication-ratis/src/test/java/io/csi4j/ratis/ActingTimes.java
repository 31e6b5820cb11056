package io.csi4j.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The times in which the engines of all peers act. Thread-safe. */
final class Spells {
    private final List<Spell> all = new CopyOnWriteArrayList<>();

    /** The time in which one engine acts. */
    private static final class Spell {
        final long begin = System.nanoTime();
        volatile long end = Long.MAX_VALUE;
    }

    /** Returns a listener that notes when the engine of one peer begins and stops to act. */
    LeadershipListener listener() {
        return new LeadershipListener() {
            private Spell spell = new Spell();

            @Override
            public void startLeading() {
                spell = new Spell();
                all.add(spell);
            }

            @Override
            public void stopLeading() {
                spell.end = System.nanoTime();
            }
        };
    }

    int count() {
        return all.size();
    }

    void assertOneAfterTheOther() {
        List<Spell> inOrder = all.stream()
                .sorted(Comparator.comparingLong(spell -> spell.begin))
                .toList();
        for (int i = 1; i < inOrder.size(); i++) {
            assertThat(inOrder.get(i - 1).end)
                    .as("one engine ends before the next one begins")
                    .isLessThan(inOrder.get(i).begin);
        }
    }
}

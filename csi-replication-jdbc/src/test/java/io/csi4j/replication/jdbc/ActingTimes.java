package io.csi4j.replication.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.LeadershipListener;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The times in which the engines of all servers act. Thread-safe. */
final class ActingTimes {
    private final List<Period> all = new CopyOnWriteArrayList<>();

    /** The time in which one engine acts. */
    private static final class Period {
        final long begin = System.nanoTime();
        volatile long end = Long.MAX_VALUE;
    }

    /** Returns a listener that notes when the engine of one server begins and stops to act. */
    LeadershipListener listener() {
        return new LeadershipListener() {
            private Period period = new Period();

            @Override
            public void startLeading() {
                period = new Period();
                all.add(period);
            }

            @Override
            public void stopLeading() {
                period.end = System.nanoTime();
            }
        };
    }

    int count() {
        return all.size();
    }

    void assertOneAfterTheOther() {
        List<Period> inOrder = all.stream()
                .sorted(Comparator.comparingLong(period -> period.begin))
                .toList();
        for (int i = 1; i < inOrder.size(); i++) {
            assertThat(inOrder.get(i - 1).end)
                    .as("one engine ends before the next one begins")
                    .isLessThan(inOrder.get(i).begin);
        }
    }
}

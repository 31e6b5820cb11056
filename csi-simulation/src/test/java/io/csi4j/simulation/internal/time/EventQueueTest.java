package io.csi4j.simulation.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private record Event(long time, long order) {}

    private final EventQueue queue = new EventQueue();
    private final List<Event> run = new ArrayList<>();

    private void add(Event event) {
        queue.add(event.time(), event.order(), () -> run.add(event));
    }

    @Test
    void tasksComeInTheOrderOfTimeThenNumber() {
        SplittableRandom random = new SplittableRandom(1);
        PriorityQueue<Event> expected =
                new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::order));
        List<Event> order = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            // Few times, so that many tasks have the same; more tasks than the first arrays hold.
            Event event = new Event(random.nextInt(50), random.nextLong());
            expected.add(event);
            add(event);
            if (random.nextInt(3) == 0) {
                assertThat(queue.firstTime()).isEqualTo(expected.element().time());
                order.add(expected.remove());
                queue.poll().run();
            }
        }
        while (!queue.isEmpty()) {
            order.add(expected.remove());
            queue.poll().run();
        }
        assertThat(expected).isEmpty();
        assertThat(run).isEqualTo(order);
    }
}

package io.csi4j.core.lifecycle.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.VirtualTime;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SafeListenerTest {
    private static final NodeEvent EVENT = new NodeEvent(NodeId.of("n1"), NodeStatus.READY, 1, Instant.EPOCH);

    private final VirtualTime time = VirtualTime.inOrder();
    private final HostCallbacks host = new HostCallbacks(time, time);
    private final List<String> heard = new ArrayList<>();
    private final EventListener listener = (EventListener) Proxy.newProxyInstance(
            EventListener.class.getClassLoader(), new Class<?>[] {EventListener.class}, (proxy, method, arguments) -> {
                heard.add(method.getName());
                return null;
            });

    @Test
    void eachEventReachesTheSameMethodOfTheHostInATaskOfItsOwn() throws ReflectiveOperationException {
        SafeListener safe = new SafeListener(listener, time, host);
        List<Method> events = Arrays.stream(EventListener.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .toList();
        assertThat(events).hasSizeGreaterThan(8);
        for (Method event : events) {
            event.invoke(safe, (Object) null);
        }
        assertThat(heard).as("before a task has run").isEmpty();
        time.run();
        assertThat(heard)
                .containsExactlyElementsOf(events.stream().map(Method::getName).toList());
    }

    @Test
    void onlyTheEventsThatFitWaitForAListenerThatBlocks() {
        SafeListener safe = new SafeListener(listener, time, host);
        for (int round = 0; round < 2; round++) {
            heard.clear();
            for (int i = 0; i < SafeListener.CAPACITY + 5; i++) {
                safe.nodeChanged(EVENT);
            }
            time.run();
            assertThat(heard).as("round %s", round).hasSize(SafeListener.CAPACITY);
        }
    }

    @Test
    void eventsThatAnEndedExecutorRejectsTakeNoPlace() {
        boolean[] ended = {true};
        SafeListener safe = new SafeListener(
                listener,
                task -> {
                    if (ended[0]) {
                        throw new RejectedExecutionException("it has ended");
                    }
                    time.execute(task);
                },
                host);
        for (int i = 0; i < SafeListener.CAPACITY + 5; i++) {
            safe.nodeChanged(EVENT);
        }
        ended[0] = false;
        safe.nodeChanged(EVENT);
        time.run();
        assertThat(heard).containsExactly("nodeChanged");
    }
}

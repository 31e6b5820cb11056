package io.csi4j.core.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllListenersTest {
    private final List<String> events = new ArrayList<>();

    private EventListener named(String name, boolean fails) {
        return (EventListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {EventListener.class}, (proxy, method, arguments) -> {
                    events.add(name + " " + method.getName());
                    if (fails) {
                        throw new IllegalStateException(name);
                    }
                    return null;
                });
    }

    private static List<Method> eventMethods() {
        return Arrays.stream(EventListener.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .toList();
    }

    @Test
    void everyEventReachesEveryListenerInOrder() throws ReflectiveOperationException {
        EventListener all = EventListener.all(named("a", false), named("b", false));
        assertThat(eventMethods()).hasSizeGreaterThan(8);
        for (Method event : eventMethods()) {
            events.clear();
            event.invoke(all, (Object) null);
            assertThat(events).containsExactly("a " + event.getName(), "b " + event.getName());
        }
    }

    @Test
    void otherListenersGetEventIfOneListenerFails() {
        EventListener all = EventListener.all(named("a", true), named("b", true), named("c", false));
        Method event = eventMethods().get(0);
        assertThatThrownBy(() -> event.invoke(all, (Object) null))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .hasMessage("a")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(events).hasSize(3);
    }

    @Test
    void otherListenersGetEventIfOneListenerFailsWithAnError() {
        EventListener broken = new EventListener() {
            @Override
            public void nodeChanged(NodeEvent event) {
                throw new AssertionError("a missing class, for one");
            }
        };
        List<NodeEvent> got = new ArrayList<>();
        EventListener other = new EventListener() {
            @Override
            public void nodeChanged(NodeEvent event) {
                got.add(event);
            }
        };
        NodeEvent event = new NodeEvent(NodeId.of("n"), NodeStatus.READY, 1, Instant.EPOCH);
        assertThatThrownBy(() -> EventListener.all(broken, other).nodeChanged(event))
                .isInstanceOf(AssertionError.class);
        assertThat(got).containsExactly(event);
    }
}

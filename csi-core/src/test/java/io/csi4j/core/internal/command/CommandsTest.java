package io.csi4j.core.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.apply.RandomCommands;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests rules that hold for every type of command. */
class CommandsTest {
    /** Generates one sample of each command type with a fixed seed. */
    private static Map<String, Command> oneOfEach() {
        RandomCommands commands =
                new RandomCommands(RandomGeneratorFactory.of("L64X128MixRandom").create(42));
        NaiveState state = new NaiveState();
        Map<String, Command> samples = new TreeMap<>();
        int kinds = kinds().size();
        for (int i = 0; i < 1_000_000 && samples.size() < kinds; i++) {
            Command command = commands.next(state);
            state.apply(command);
            if (command instanceof Batch batch) {
                batch.commands().forEach(step -> samples.putIfAbsent(name(step), step));
            }
            samples.putIfAbsent(name(command), command);
        }
        return samples;
    }

    private static String name(Command command) {
        return command.getClass().getSimpleName();
    }

    private static List<String> kinds() {
        return Stream.of(Command.class.getPermittedSubclasses())
                .flatMap(group -> group == Batch.class ? Stream.of(group) : Stream.of(group.getPermittedSubclasses()))
                .map(Class::getSimpleName)
                .sorted()
                .toList();
    }

    /** A missing component causes a NullPointerException in the constructor, so no such command reaches the log. */
    @Test
    void commandWithMissingComponentIsRejected() throws ReflectiveOperationException {
        Map<String, Command> samples = oneOfEach();
        assertThat(samples.keySet()).containsExactlyElementsOf(kinds());
        List<String> accepted = new ArrayList<>();
        int tried = 0;
        for (Command command : samples.values()) {
            RecordComponent[] parts = command.getClass().getRecordComponents();
            for (int missing = 0; missing < parts.length; missing++) {
                if (!parts[missing].getType().isPrimitive()) {
                    tried++;
                    if (!refusesWithout(command, parts, missing)) {
                        accepted.add(name(command) + "." + parts[missing].getName());
                    }
                }
            }
        }
        assertThat(accepted).isEmpty();
        assertThat(tried).isGreaterThan(80);
    }

    private static boolean refusesWithout(Command command, RecordComponent[] parts, int missing)
            throws ReflectiveOperationException {
        Class<?>[] types = new Class<?>[parts.length];
        Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            types[i] = parts[i].getType();
            values[i] = parts[i].getAccessor().invoke(command);
        }
        Constructor<?> constructor = command.getClass().getDeclaredConstructor(types);
        assertThat(constructor.newInstance(values)).isEqualTo(command);
        values[missing] = null;
        try {
            constructor.newInstance(values);
            return false;
        } catch (InvocationTargetException e) {
            assertThat(e.getCause()).isInstanceOf(NullPointerException.class);
            return true;
        }
    }
}

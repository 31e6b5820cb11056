package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.retry.RetryOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The texts of options name each setting as its setter does. */
class OptionNamesTest {
    static Stream<Object> options() {
        return Stream.of(ConnectionOptions.ofDefaults(), RetryOptions.ofDefaults());
    }

    @ParameterizedTest
    @MethodSource("options")
    void errorAndTextNameTheSetter(Object options) throws Exception {
        Object builder = options.getClass().getMethod("builder").invoke(null);
        List<Method> setters = Arrays.stream(builder.getClass().getMethods())
                .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {Duration.class}))
                .toList();
        assertThat(setters).hasSizeGreaterThan(3);
        for (Method setter : setters) {
            assertThatThrownBy(() -> setter.invoke(builder, Duration.ofSeconds(-1)))
                    .cause()
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(setter.getName());
            assertThat(options.toString()).contains(setter.getName() + "=");
        }
    }
}

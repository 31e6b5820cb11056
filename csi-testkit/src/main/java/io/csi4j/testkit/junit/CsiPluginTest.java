package io.csi4j.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class, or one test, a fake plugin, and fails a test that leaves something behind or breaks a rule; see {@link StrictCheck}.
 *
 * <p>Tests and lifecycle methods may have parameters of these types: {@link io.csi4j.testkit.FakeCsiPlugin}, {@link io.csi4j.testkit.FakeStorage}, {@link
 * io.csi4j.client.CsiClient} (a client of the plugin in this process, which the extension closes; each call ends within 10 s, and an attempt without
 * an answer after 2 s; {@code client.withDeadlines(CallDeadlines.ofDefaults())} has the deadlines of production), and with {@link PluginSocket} the path of a Unix socket. The
 * annotation stands beside {@code @Test}. Tests may run in parallel.
 *
 * <p>The annotation of a method replaces that of its class.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(CsiPluginExtension.class)
public @interface CsiPluginTest {
    /** Says whether each test gets a new plugin, or all tests of the class share one. */
    Lifetime lifetime() default Lifetime.PER_TEST;

    /** Returns the checks to leave out. */
    StrictCheck[] lenient() default {};

    /** Returns the class that changes the settings of the plugin. Default: no changes. */
    Class<? extends PluginConfiguration> configuration() default PluginConfiguration.Defaults.class;
}

package io.csi4j.testkit.junit;

import io.csi4j.client.CsiClient;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.FakeStorage;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * The JUnit extension behind {@link CsiPluginTest}. Its builder is for fields with {@code @RegisterExtension}:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final CsiPluginExtension PLUGIN = CsiPluginExtension.builder()
 *         .plugin(plugin -> plugin.attachLimit(2))
 *         .lenient(StrictCheck.UNEXPECTED_CALLS)
 *         .build();
 * }</pre>
 *
 * <p>All state is kept with the test, so one extension serves tests that run in parallel. When a test fails, its calls are published as a report entry.
 */
public final class CsiPluginExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Set<Class<?>> TYPES = Set.of(FakeCsiPlugin.class, FakeStorage.class, CsiClient.class);

    private final Namespace namespace = Namespace.create(CsiPluginExtension.class, this);
    private final @Nullable Settings settings;

    /** The settings of one plugin. */
    private record Settings(Lifetime lifetime, Set<StrictCheck> checks, Consumer<FakeCsiPluginBuilder> plugin) {}

    /** Creates an extension whose settings are those of {@link CsiPluginTest}. */
    public CsiPluginExtension() {
        this(null);
    }

    private CsiPluginExtension(@Nullable Settings settings) {
        this.settings = settings;
    }

    /** Returns a builder with all checks and a plugin for each test. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds extensions. Not thread-safe. */
    public static final class Builder {
        private Lifetime lifetime = Lifetime.PER_TEST;
        private final Set<StrictCheck> checks = EnumSet.allOf(StrictCheck.class);
        private Consumer<FakeCsiPluginBuilder> plugin = builder -> {};

        private Builder() {}

        /**
         * Sets whether each test gets a new plugin, or all tests of a class share one. Default: {@link
         * Lifetime#PER_TEST}.
         */
        public Builder lifetime(Lifetime time) {
            lifetime = time;
            return this;
        }

        /** Turns off these checks; the others still run after each test. */
        public Builder lenient(StrictCheck... fewer) {
            checks.removeAll(List.of(fewer));
            return this;
        }

        /**
         * Sets the settings of the plugin.
         *
         * @param configuration changes the plugin's builder, which has the default settings
         */
        public Builder plugin(Consumer<FakeCsiPluginBuilder> configuration) {
            plugin = configuration;
            return this;
        }

        /** Builds the extension. With {@link Lifetime#PER_CLASS}, register it as a static field. */
        public CsiPluginExtension build() {
            return new CsiPluginExtension(new Settings(lifetime, Set.copyOf(checks), plugin));
        }
    }

    private Settings settings(ExtensionContext context) {
        if (settings != null) {
            return settings;
        }
        CsiPluginTest annotation = annotation(context)
                .orElseThrow(() -> new ParameterResolutionException(
                        "the extension needs @CsiPluginTest; for @RegisterExtension use CsiPluginExtension.builder()"));
        Set<StrictCheck> checks = EnumSet.allOf(StrictCheck.class);
        checks.removeAll(List.of(annotation.lenient()));
        PluginConfiguration configuration = ReflectionSupport.newInstance(annotation.configuration());
        return new Settings(annotation.lifetime(), checks, configuration::apply);
    }

    /** Returns the annotation of the method, its class, or an enclosing class. */
    private static Optional<CsiPluginTest> annotation(ExtensionContext context) {
        for (Optional<ExtensionContext> at = Optional.of(context);
                at.isPresent();
                at = at.get().getParent()) {
            Optional<CsiPluginTest> found = at.get()
                    .getElement()
                    .flatMap(element -> AnnotationSupport.findAnnotation(element, CsiPluginTest.class));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (settings(context).lifetime() == Lifetime.PER_CLASS && session(context) == null) {
            open(context);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        boolean own = settings == null
                && context.getElement()
                        .filter(element -> AnnotationSupport.isAnnotated(element, CsiPluginTest.class))
                        .isPresent();
        if (own || session(context) == null) {
            open(context);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        finish(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        finish(context);
    }

    private void open(ExtensionContext context) {
        Settings chosen = settings(context);
        FakeCsiPluginBuilder builder = FakeCsiPlugin.builder();
        chosen.plugin().accept(builder);
        PluginSession session = new PluginSession(builder.build(), chosen.checks());
        context.getStore(namespace).put(PluginSession.class, session);
        context.getStore(namespace).put(context.getUniqueId(), session);
    }

    private @Nullable PluginSession session(ExtensionContext context) {
        return context.getStore(namespace).get(PluginSession.class, PluginSession.class);
    }

    /** Checks and closes the plugin that was opened for a test or a test class. */
    private void finish(ExtensionContext context) {
        PluginSession session = context.getStore(namespace).remove(context.getUniqueId(), PluginSession.class);
        if (session == null) {
            return;
        }
        context.getStore(namespace).remove(PluginSession.class);
        boolean failed = context.getExecutionException().isPresent();
        if (failed) {
            context.publishReportEntry("calls", session.table());
        }
        // Does not check for leaks after a failed test: it has often not reached its clean-up, and its failure says
        // more.
        session.close(!failed);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return TYPES.contains(type)
                || (parameter.isAnnotated(PluginSocket.class) && (type == Path.class || type == String.class));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        PluginSession session = session(context);
        if (session == null) {
            // Constructors and @BeforeAll run before the plugin of a test exists.
            throw new ParameterResolutionException("there is no plugin for "
                    + parameter.getDeclaringExecutable() + "; with a plugin for each test, take it in @BeforeEach and"
                    + " tests, or choose Lifetime.PER_CLASS");
        }
        Class<?> type = parameter.getParameter().getType();
        if (type == FakeCsiPlugin.class) {
            return session.plugin();
        }
        if (type == FakeStorage.class) {
            return session.plugin().storage();
        }
        if (type == CsiClient.class) {
            return session.client();
        }
        Path socket = session.socket();
        return type == Path.class ? socket : socket.toString();
    }
}

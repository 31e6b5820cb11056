package io.csi4j.replication.jdbc.postgres;

import io.csi4j.postgres.PostgresServer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives each test a {@link TestSchema} of its own, in one server for all tests of this JVM that do not harm it. */
public final class PostgresExtension implements ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(PostgresExtension.class);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestSchema.class;
    }

    @Override
    public TestSchema resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE).computeIfAbsent(TestSchema.class, key -> create(context), TestSchema.class);
    }

    private static TestSchema create(ExtensionContext context) {
        PostgresServer server = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(PostgresServer.class, key -> PostgresServer.start(), PostgresServer.class);
        String name = "test_" + NUMBER.incrementAndGet();
        server.execute("CREATE SCHEMA " + name);
        return new TestSchema(server, name);
    }
}

package io.csi4j.testkit.junit;

import io.csi4j.testkit.FakeCsiPluginBuilder;

/** Changes the settings of the plugin of {@link CsiPluginTest}. Implementations need a constructor without parameters that the extension can call. */
@FunctionalInterface
public interface PluginConfiguration {
    /**
     * Changes the settings.
     *
     * @param plugin the builder of the plugin, with the default settings
     */
    void apply(FakeCsiPluginBuilder plugin);

    /** Changes nothing. */
    final class Defaults implements PluginConfiguration {
        /** Creates the configuration. */
        public Defaults() {}

        @Override
        public void apply(FakeCsiPluginBuilder plugin) {
            // Changes nothing, so that the plugin has the defaults of the builder.
        }
    }
}

/**
 * A JUnit extension that gives tests a fake plugin and fails those that misuse it: {@link io.csi4j.testkit.junit.CsiPluginTest} and {@link
 * io.csi4j.testkit.junit.CsiPluginExtension}.
 */
@NullMarked
package io.csi4j.testkit.junit;

import org.jspecify.annotations.NullMarked;

/**
 * The gRPC services of a fake plugin: they check the form of a request and call the storage. Internal to the testkit.
 */
@NullMarked
package io.csi4j.testkit.internal.service;

import org.jspecify.annotations.NullMarked;

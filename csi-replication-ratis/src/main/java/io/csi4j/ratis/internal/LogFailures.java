package io.csi4j.ratis.internal;


<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="roads" tilewidth="16" tileheight="16" tilecount="6" columns="6">
 <image source="roads.png" width="96" height="16"/>
 <tile id="0">
  <properties>
   <property name="terrain" value="field"/>
   <property name="speed" type="int" value="400"/>
  </properties>
 </tile>
 <tile id="1">
  <properties>
   <property name="terrain" value="road"/>
   <property name="speed" type="int" value="1000"/>
   <property name="sides" value="N S"/>
  </properties>
 </tile>
 <tile id="2">
  <properties>
   <property name="terrain" value="road"/>
   <property name="speed" type="int" value="1000"/>
   <property name="sides" value="W S"/>
  </properties>
 </tile>
 <tile id="3">
  <properties>
   <property name="terrain" value="road"/>
   <property name="speed" type="int" value="1000"/>
   <property name="sides" value="S"/>
  </properties>
 </tile>
 <tile id="4">
  <properties>
   <property name="terrain" value="road"/>
   <property name="speed" type="int" value="1000"/>
  </properties>
 </tile>
 <tile id="5">
  <properties>
   <property name="terrain" value="depot"/>
   <property name="speed" type="int" value="500"/>
   <property name="sides" value="N W S"/>
  </properties>
 </tile>
</tileset>
